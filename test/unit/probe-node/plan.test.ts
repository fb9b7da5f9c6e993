import { describe, expect, test } from "vitest"
import { planCatchAllRcpts, planChunks, planRcpts } from "../../../probe-node/recipients.ts"
import type { Playbook, ProbeGroup } from "../../../schema/wire/probe.ts"
import { PLAYBOOK } from "../../support/mail/probe-engine.ts"

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
  test("groups each domain, with its catch-all probe second", () => {
    const [chunk, ...others] = planChunks(group(["a@x.test", "b@y.test", "c@x.test"], ["q@y.test", "q@x.test"]))
    expect(others).toEqual([])
    expect(planRcpts(chunk!, true).map(({ address, batch }) => [address, batch])).toEqual([
      ["a@x.test", "x.test"],
      ["q@x.test", "x.test"],
      ["c@x.test", "x.test"],
      ["b@y.test", "y.test"],
      ["q@y.test", "y.test"],
    ])
  })

  test("puts non-ASCII mailboxes last, in a separate transaction", () => {
    const [chunk] = planChunks(group(["ü@x.test", "a@x.test"], ["q@x.test"]))
    expect(planRcpts(chunk!, true).map(({ address, utf8 }) => [address, utf8])).toEqual([
      ["a@x.test", false],
      ["q@x.test", false],
      ["ü@x.test", true],
    ])
    const batches = planRcpts(chunk!, true).map(({ batch }) => batch)
    expect(batches[2]).not.toBe(batches[1])
  })

  test("splits by the playbook, with a catch-all probe per domain in each session", () => {
    const chunks = planChunks(group(["a@x.test", "b@x.test", "c@y.test"], ["q@x.test"], { recipientsPerSession: 1 }))
    expect(chunks.map((chunk) => planRcpts(chunk, true).map(({ address }) => address))).toEqual([
      ["a@x.test", "q@x.test"],
      ["b@x.test", "q@x.test"],
      ["c@y.test"],
    ])
  })

  test("omits catch-all probes that run separately or never", () => {
    const [apart] = planChunks(group(["a@x.test"], ["q@x.test"], { control: "separate-session" }))
    expect(planRcpts(apart!, false).map(({ address }) => address)).toEqual(["a@x.test"])
    expect(planCatchAllRcpts(apart!).map(({ address }) => address)).toEqual(["q@x.test"])
    const [never] = planChunks(group(["a@x.test"], ["q@x.test"], { control: "never" }))
    expect(planCatchAllRcpts(never!)).toEqual([])
  })

  test("reads the domain after the last at sign of a quoted mailbox", () => {
    const [chunk] = planChunks(group(['"a@b"@x.test'], ["q@x.test"]))
    expect(planRcpts(chunk!, true)).toHaveLength(2)
  })
})
