import { describe, expect, test } from "vitest"
import { planAsks, planChunks, planControls } from "../../../probe-node/plan.ts"
import type { Playbook, ProbeGroup } from "../../../schema/wire/probe.ts"
import { PLAYBOOK } from "../../support/probe-engine.ts"

function group(
  addresses: readonly string[],
  controls: readonly string[],
  playbook: Partial<Playbook> = {},
): ProbeGroup {
  return {
    mx: [{ host: "mx.test", preference: 1 }],
    playbook: { ...PLAYBOOK, ...playbook },
    recipients: addresses.map((address, index) => ({ index, address })),
    controls: [...controls],
  }
}

describe("plan of a group", () => {
  test("keeps a domain together, its sibling second", () => {
    const [chunk, ...others] = planChunks(group(["a@x.test", "b@y.test", "c@x.test"], ["q@y.test", "q@x.test"]))
    expect(others).toEqual([])
    expect(planAsks(chunk!, true).map(({ address, batch }) => [address, batch])).toEqual([
      ["a@x.test", "x.test"],
      ["q@x.test", "x.test"],
      ["c@x.test", "x.test"],
      ["b@y.test", "y.test"],
      ["q@y.test", "y.test"],
    ])
  })

  test("asks international mailboxes in a transaction of their own, last", () => {
    const [chunk] = planChunks(group(["ü@x.test", "a@x.test"], ["q@x.test"]))
    expect(planAsks(chunk!, true).map(({ address, utf8 }) => [address, utf8])).toEqual([
      ["a@x.test", false],
      ["q@x.test", false],
      ["ü@x.test", true],
    ])
    const batches = planAsks(chunk!, true).map(({ batch }) => batch)
    expect(batches[2]).not.toBe(batches[1])
  })

  test("cuts by the playbook, and asks each session's domains for a sibling of its own", () => {
    const chunks = planChunks(group(["a@x.test", "b@x.test", "c@y.test"], ["q@x.test"], { recipientsPerSession: 1 }))
    expect(chunks.map((chunk) => planAsks(chunk, true).map(({ address }) => address))).toEqual([
      ["a@x.test", "q@x.test"],
      ["b@x.test", "q@x.test"],
      ["c@y.test"],
    ])
  })

  test("leaves siblings out where they are asked apart or never", () => {
    const [apart] = planChunks(group(["a@x.test"], ["q@x.test"], { control: "separate-session" }))
    expect(planAsks(apart!, false).map(({ address }) => address)).toEqual(["a@x.test"])
    expect(planControls(apart!).map(({ address }) => address)).toEqual(["q@x.test"])
    const [never] = planChunks(group(["a@x.test"], ["q@x.test"], { control: "never" }))
    expect(planControls(never!)).toEqual([])
  })

  test("takes the domain behind the last at sign of a quoted mailbox", () => {
    const [chunk] = planChunks(group(['"a@b"@x.test'], ["q@x.test"]))
    expect(planAsks(chunk!, true)).toHaveLength(2)
  })
})
