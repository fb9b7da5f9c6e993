import { createServer, type Server, type Socket } from "node:net"
import { afterEach, describe, expect, test } from "vitest"
import { ProbeRun } from "../../probe-node/probe.ts"
import type { ProbeRequest, RecipientLine } from "../../schema/wire/probe.ts"
import { brief, type EngineSetup, PLAYBOOK, probe, probeRequest, testEngine } from "../support/mail/probe-engine.ts"
import { traced } from "../support/mail/probe-in-vain.ts"
import { stopSteadyClock } from "../support/time/steady-clock.ts"

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

/** A busy mail server at one address: it replies 421 when so many wait, and counts the concurrent connections. */
async function busyServer({ repliesTo }: { repliesTo: number }) {
  const seen = { most: 0, all: 0 }
  const waiting = new Set<Socket>()
  const server = createServer((socket) => {
    seen.all++
    waiting.add(socket)
    seen.most = Math.max(seen.most, waiting.size)
    socket.on("error", () => undefined)
    socket.once("close", () => waiting.delete(socket))
    if (waiting.size === repliesTo) replyToAll()
  })
  const replyToAll = async () => {
    // In these turns of the event loop, further connections are counted.
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    for (const socket of waiting) socket.end("421 4.3.2 busy\r\n")
    waiting.clear()
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  open.push(server)
  const { port } = server.address() as { port: number }
  return { port, seen }
}

const NAMES = 40
const hostOf = (n: number) => `mx${n}.evil.test`

/** Domains of one owner, each with its own mail host name. All names resolve to one address. */
function manyNames(playbook: Partial<typeof PLAYBOOK> = {}): ProbeRequest {
  const groups = Array.from({ length: NAMES }, (_, n) => ({
    mx: [{ host: hostOf(n), preference: 10 }],
    playbook: { ...PLAYBOOK, operator: hostOf(n), control: "never" as const, sessionsPerHost: 5, ...playbook },
    recipients: [{ index: n, address: `anna@d${n}.evil.test` }],
    controls: [],
  }))
  return { ...probeRequest({ to: ["anna@evil.test"] }), groups }
}

function engineFor(port: number, limits: EngineSetup["limits"] = {}) {
  const hosts = Object.fromEntries(Array.from({ length: NAMES }, (_, n) => [hostOf(n), ["127.0.0.1"]]))
  return testEngine({ port, hosts: { ...hosts, "mx.other.test": ["127.0.0.2"] }, limits })
}

describe("many names of one mail server", () => {
  test("get no more concurrent sessions than one name, and each is probed", async () => {
    const { port, seen } = await busyServer({ repliesTo: 5 })
    const lines: RecipientLine[] = []
    await new ProbeRun(engineFor(port), manyNames(), (line) => lines.push(line)).done
    expect(seen).toMatchObject({ most: 5, all: NAMES })
    expect(lines.map(({ outcome }) => outcome.kind === "reply" && outcome.reply.code)).toEqual(
      Array.from({ length: NAMES }, () => 421),
    )
  })

  test("release the node's concurrency while they wait, so that other hosts are probed", async () => {
    const { port } = await busyServer({ repliesTo: Number.POSITIVE_INFINITY })
    const engine = engineFor(port, { concurrency: 10 })
    const hanging = new ProbeRun(engine, manyNames(), () => undefined)
    const [line] = await probe(engine, { to: ["otto@other.test"], mx: [{ host: "mx.other.test", preference: 1 }] })
    expect(brief(line!.outcome)).toBe("connect refused")
    hanging.cancel()
    await hanging.done
    await expect
      .poll(() => [engine.pacer, engine.endpointLimiter].map(({ active, waiting }) => [active, waiting]))
      .toEqual([
        [0, 0],
        [0, 0],
      ])
  })

  test("without a permit by the deadline are throttled, not timed out", async () => {
    const { port } = await busyServer({ repliesTo: Number.POSITIVE_INFINITY })
    const lines: RecipientLine[] = []
    const { engine, events } = traced(engineFor(port))
    const request = manyNames()
    const run = new ProbeRun(engine, request, (line) => lines.push(line))
    await expect.poll(() => events.filter((event) => event === "connected")).toHaveLength(5)
    stopSteadyClock().pass(request.deadlineMs)
    await run.done
    const outcomes = Object.groupBy(lines, ({ outcome }) => brief(outcome))
    expect(Object.fromEntries(Object.entries(outcomes).map(([name, of]) => [name, of?.length]))).toEqual({
      "banner deadline": 5,
      "connect throttled": NAMES - 5,
    })
  })
})
