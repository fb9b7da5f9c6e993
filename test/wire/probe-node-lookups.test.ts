import { afterEach, describe, expect, test } from "vitest"
import type { EngineNeeds } from "../../probe-node/chunk-run.ts"
import { ProbeRun } from "../../probe-node/probe.ts"
import type { Addresses } from "../../probe-node/resolver.ts"
import type { RecipientLine } from "../../schema/wire/probe.ts"
import { ask, brief, probeRequest, testEngine } from "../support/probe-engine.ts"
import { type ScriptedServer, startScriptedSmtp } from "../support/smtp-script.ts"

const ANNA = ["anna@a.test"]
const MX = [1, 2, 3, 4, 5].map((n) => ({ host: `mx${n}.test`, preference: n }))

const servers: ScriptedServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

/** An engine whose resolver knows these hosts, and answers about all others only when it is told to. */
function engineThatWaits(hosts: Readonly<Record<string, Addresses>> = {}, port = 1) {
  const asked: string[] = []
  const late: (() => void)[] = []
  const engine: EngineNeeds = {
    ...testEngine({ port }),
    resolver: {
      addresses(host) {
        asked.push(host)
        const known = hosts[host]
        if (known) return Promise.resolve(known)
        return new Promise((resolve) => late.push(() => resolve({ kind: "none", detail: "ETIMEOUT" })))
      },
    },
  }
  return { engine, asked, answerAll: () => late.splice(0).forEach((answer) => void answer()) }
}

describe("a resolver that does not answer", () => {
  test("is waited for up to the deadline, and gives the operator's slot back", async () => {
    const { engine, asked } = engineThatWaits()
    const [line] = await ask(engine, { to: ANNA, controls: ["q@a.test"], mx: MX, request: { deadlineMs: 500 } })
    expect([brief(line!.outcome), brief(line!.control), line!.session]).toEqual([
      "connect deadline",
      "connect deadline",
      null,
    ])
    expect([asked, engine.pacer.active]).toEqual([["mx1.test"], 0])
  })

  test("is asked about no further host when it answers after that", async () => {
    const { engine, asked, answerAll } = engineThatWaits()
    const [line] = await ask(engine, { to: ANNA, mx: MX, request: { deadlineMs: 500 } })
    answerAll()
    await new Promise(setImmediate)
    expect([asked, line!.attempts]).toEqual([["mx1.test"], []])
  })

  test("is not waited for once the caller has gone", async () => {
    const { engine } = engineThatWaits()
    const lines: RecipientLine[] = []
    const run = new ProbeRun(engine, probeRequest({ to: ANNA, mx: MX, request: { deadlineMs: 60_000 } }), (line) =>
      lines.push(line),
    )
    run.cancel()
    await run.done
    expect([lines.map(({ outcome }) => brief(outcome)), engine.pacer.active]).toEqual([["connect shutdown"], 0])
  })

  test("leaves what was learned about the hosts before", async () => {
    const { engine } = engineThatWaits({ "mx1.test": { kind: "none", detail: "ESERVFAIL" } })
    const [line] = await ask(engine, { to: ANNA, mx: MX, request: { deadlineMs: 500 } })
    expect(brief(line!.outcome)).toBe("connect deadline")
    expect(line!.attempts.map(({ mxHost, outcome }) => [mxHost, brief(outcome)])).toEqual([["mx1.test", "connect dns"]])
  })

  test.each([
    ["refusal", { say: "554 5.7.1 blocked\r\n" }, "banner 554"],
    ["failure", { end: "close" }, "banner reset"],
  ] as const)("does not hide a %s by the host before", async (_, banner, outcome) => {
    const server = await startScriptedSmtp({ banner })
    servers.push(server)
    const { engine } = engineThatWaits({ "mx1.test": { kind: "addresses", addresses: [server.address] } }, server.port)
    const [line] = await ask(engine, { to: ANNA, mx: MX, request: { deadlineMs: 500 } })
    expect([brief(line!.outcome), line!.session?.mxHost]).toEqual([outcome, "mx1.test"])
  })
})
