import { afterEach, describe, expect, test } from "vitest"
import { type EngineDeps, ProbeRun } from "../../probe-node/probe.ts"
import type { Addresses } from "../../probe-node/smtp/route.ts"
import type { RecipientLine } from "../../schema/wire/probe.ts"
import { brief, probe, probeRequest, testEngine } from "../support/mail/probe-engine.ts"
import { type ScriptedServer, startScriptedSmtp } from "../support/mail/smtp-script.ts"
import { stopSteadyClock } from "../support/time/steady-clock.ts"

const ANNA = ["anna@a.test"]
const MX = [1, 2, 3, 4, 5].map((n) => ({ host: `mx${n}.test`, preference: n }))

const DEADLINE_MS = 30_000

const servers: ScriptedServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

/** An engine whose resolver knows these hosts, and answers for all others only after `answerAll`. Its clock stands still. */
function engineThatWaits(hosts: Readonly<Record<string, Addresses>> = {}, port = 1) {
  const clock = stopSteadyClock()
  const queried: string[] = []
  const late: (() => void)[] = []
  const engine: EngineDeps = {
    ...testEngine({ port }),
    resolver: {
      addresses(host) {
        queried.push(host)
        const known = hosts[host]
        if (known) return Promise.resolve(known)
        return new Promise((resolve) => late.push(() => resolve({ kind: "none", detail: "ETIMEOUT" })))
      },
    },
  }
  return {
    engine,
    queried,
    answerAll: () => late.splice(0).forEach((answer) => void answer()),
    /** Probes until the deadline passes during the lookup of the host. */
    async probeUntilDeadline(host: string, controls: readonly string[] = []) {
      const probing = probe(engine, { to: ANNA, controls, mx: MX, request: { deadlineMs: DEADLINE_MS } })
      await expect.poll(() => queried).toContain(host)
      clock.pass(DEADLINE_MS)
      return probing
    },
  }
}

describe("a resolver that does not answer", () => {
  test("is awaited until the deadline, and releases the operator's slot", async () => {
    const { engine, queried, probeUntilDeadline } = engineThatWaits()
    const [line] = await probeUntilDeadline("mx1.test", ["q@a.test"])
    expect([brief(line!.outcome), brief(line!.control), line!.session]).toEqual([
      "connect deadline",
      "connect deadline",
      null,
    ])
    expect([queried, engine.pacer.active]).toEqual([["mx1.test"], 0])
  })

  test("gets no further queries when it answers after the deadline", async () => {
    const { queried, answerAll, probeUntilDeadline } = engineThatWaits()
    const [line] = await probeUntilDeadline("mx1.test")
    answerAll()
    await new Promise(setImmediate)
    expect([queried, line!.attempts]).toEqual([["mx1.test"], []])
  })

  test("is not awaited after the caller has disconnected", async () => {
    const { engine } = engineThatWaits()
    const lines: RecipientLine[] = []
    const run = new ProbeRun(engine, probeRequest({ to: ANNA, mx: MX, request: { deadlineMs: 60_000 } }), (line) =>
      lines.push(line),
    )
    run.cancel()
    await run.done
    expect([lines.map(({ outcome }) => brief(outcome)), engine.pacer.active]).toEqual([["connect shutdown"], 0])
  })

  test("does not discard the attempts at earlier hosts", async () => {
    const { probeUntilDeadline } = engineThatWaits({ "mx1.test": { kind: "none", detail: "ESERVFAIL" } })
    const [line] = await probeUntilDeadline("mx2.test")
    expect(brief(line!.outcome)).toBe("connect deadline")
    expect(line!.attempts.map(({ mxHost, outcome }) => [mxHost, brief(outcome)])).toEqual([["mx1.test", "connect dns"]])
  })

  test.each([
    ["refusal", { say: "554 5.7.1 blocked\r\n" }, "banner 554"],
    ["failure", { end: "close" }, "banner reset"],
  ] as const)("does not hide a %s of the previous host", async (_, banner, outcome) => {
    const server = await startScriptedSmtp({ banner })
    servers.push(server)
    const hosts: Readonly<Record<string, Addresses>> = {
      "mx1.test": { kind: "addresses", addresses: [server.address] },
    }
    const [line] = await engineThatWaits(hosts, server.port).probeUntilDeadline("mx2.test")
    expect([brief(line!.outcome), line!.session?.mxHost]).toEqual([outcome, "mx1.test"])
  })
})
