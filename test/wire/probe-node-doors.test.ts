import { createServer, type Server } from "node:net"
import { afterEach, describe, expect, test } from "vitest"
import { ProbeRun } from "../../probe-node/probe.ts"
import type { ProbeRequest, RecipientLine } from "../../schema/wire/probe.ts"
import { ask, brief, type EngineSetup, PLAYBOOK, probeRequest, testEngine } from "../support/probe-engine.ts"

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

/** A mail server at one address that is busy, says so after a while, and counts how many wait for that at a time. */
async function busyServer({ saysAfterMs }: { saysAfterMs: number }) {
  const seen = { now: 0, most: 0, all: 0 }
  const server = createServer((socket) => {
    seen.all++
    seen.most = Math.max(seen.most, ++seen.now)
    socket.on("error", () => undefined)
    setTimeout(() => {
      seen.now--
      socket.end("421 4.3.2 busy\r\n")
    }, saysAfterMs).unref()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  open.push(server)
  const { port } = server.address() as { port: number }
  return { port, seen }
}

const NAMES = 40
const hostOf = (n: number) => `mx${n}.evil.test`

/** Domains of one owner, each with a mail host of a name of its own; all names lead to one address. */
function manyNames(playbook: Partial<typeof PLAYBOOK> = {}): ProbeRequest {
  const groups = Array.from({ length: NAMES }, (_, n) => ({
    mx: [{ host: hostOf(n), preference: 10 }],
    playbook: { ...PLAYBOOK, operator: hostOf(n), control: "never" as const, sessionsPerHost: 5, ...playbook },
    recipients: [{ index: n, address: `anna@d${n}.evil.test` }],
    controls: [],
  }))
  return { ...probeRequest({ to: ["anna@evil.test"] }), groups, deadlineMs: 10_000 }
}

function engineFor(port: number, limits: EngineSetup["limits"] = {}) {
  const hosts = Object.fromEntries(Array.from({ length: NAMES }, (_, n) => [hostOf(n), ["127.0.0.1"]]))
  return testEngine({ port, hosts: { ...hosts, "mx.other.test": ["127.0.0.2"] }, limits })
}

describe("many names of one mail server", () => {
  test("bring it no more sessions at a time than one name does, and each is asked", async () => {
    const { port, seen } = await busyServer({ saysAfterMs: 20 })
    const lines: RecipientLine[] = []
    await new ProbeRun(engineFor(port), manyNames(), (line) => lines.push(line)).done
    expect(seen).toMatchObject({ most: 5, all: NAMES })
    expect(lines.map(({ outcome }) => outcome.kind === "reply" && outcome.reply.code)).toEqual(
      Array.from({ length: NAMES }, () => 421),
    )
  })

  test("leave the node's sessions to others while they wait for it, and all of it to who comes behind them", async () => {
    const { port } = await busyServer({ saysAfterMs: 60_000 })
    const engine = engineFor(port, { concurrency: 10 })
    const hanging = new ProbeRun(engine, manyNames(), () => undefined)
    const [line] = await ask(engine, { to: ["otto@other.test"], mx: [{ host: "mx.other.test", preference: 1 }] })
    expect(brief(line!.outcome)).toBe("connect refused")
    hanging.cancel()
    await hanging.done
    await expect
      .poll(() => [engine.pacer, engine.doors].map(({ active, waiting }) => [active, waiting]))
      .toEqual([
        [0, 0],
        [0, 0],
      ])
  })

  test("are told apart from a server that does not answer when their turn does not come in time", async () => {
    const { port } = await busyServer({ saysAfterMs: 60_000 })
    const lines: RecipientLine[] = []
    const run = new ProbeRun(engineFor(port), { ...manyNames(), deadlineMs: 500 }, (line) => lines.push(line))
    await run.done
    const outcomes = Object.groupBy(lines, ({ outcome }) => brief(outcome))
    expect(Object.fromEntries(Object.entries(outcomes).map(([name, of]) => [name, of?.length]))).toEqual({
      "banner deadline": 5,
      "connect throttled": NAMES - 5,
    })
  })
})
