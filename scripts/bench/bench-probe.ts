import { createConnection } from "node:net"
import { createDialPort, createSources } from "../../probe-node/addresses.ts"
import { limitHeapGrowth } from "../../probe-node/commands/serve.ts"
import { createEndpointLimiter, Pacer } from "../../probe-node/pacing.ts"
import { type EngineDeps, ProbeRun } from "../../probe-node/probe.ts"
import { REPLY_TIMEOUT_MS } from "../../probe-node/smtp/connection.ts"
import type { ProbeRequest } from "../../schema/wire/probe.ts"
import { BENCH_PLAYBOOK, BENCH_REQUEST, benchMemory, startSmtpServer } from "./bench-probe-memory.ts"
import { medianOf } from "./http-client.ts"

const CONCURRENCY = 100
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7)
const SLICE_MS = 1_000
const TURN_MS = 50
/** Several addresses of the server, so that local ports are not exhausted. */
const ADDRESSES = 32

async function benchSpeed(): Promise<void> {
  const fast = await startServer(0)
  const engine = engineFor(fast.port)
  type Speed = Awaited<ReturnType<typeof measure>>
  const [raw, probes]: [Speed[], Speed[]] = [[], []]
  // Alternates both, so that other load on the machine affects both alike.
  for (let round = 0; round <= ROUNDS; round++) {
    const rawSpeed = await measure((at) => rawProbe(fast.port, `127.0.1.${1 + (at % ADDRESSES)}`))
    const probeSpeed = await measure((at) => run(engine, lone(at % ADDRESSES)))
    if (round === 0) continue
    raw.push(rawSpeed)
    probes.push(probeSpeed)
  }
  const rate = (speeds: Speed[]) => medianOf(speeds, ({ perSecond }) => perSecond)
  const cpu = (speeds: Speed[]) => medianOf(speeds, ({ cpuMicroseconds }) => cpuMicroseconds)
  print("probes per second, concurrency 100", rate(probes).toFixed(0), "at least 6,000")
  print("raw socket loop, the same bytes", rate(raw).toFixed(0), "")
  print("ratio to the raw loop", (rate(probes) / rate(raw)).toFixed(2), "")
  print("probes per second of CPU", (1e6 / cpu(probes)).toFixed(0), "at least 6,000")
  print("raw loop per second of CPU", (1e6 / cpu(raw)).toFixed(0), "")
  await fast.stop()

  const slow = await startServer(TURN_MS)
  const calm = engineFor(slow.port)
  print("round trips of a lone probe", (await medianRoundTrips(calm, lone(0))).toFixed(2), "at most 3.2")
  for (const recipients of [5, 20, 100]) {
    const addresses = Array.from({ length: recipients }, (_, at) => `${at % 2 ? "real" : "gone"}${at}@example.test`)
    const roundTrips = await medianRoundTrips(calm, request(0, addresses))
    print(`round trips per address, ${recipients} together`, (roundTrips / recipients).toFixed(2), "below 1")
  }
  await slow.stop()
}

function print(what: string, value: string, bar: string): void {
  process.stdout.write(`${what.padEnd(44)}${value.padStart(10)}   ${bar}\n`)
}

async function startServer(turnMs: number) {
  const child = await startSmtpServer(turnMs)
  return { port: Number(child.readyLine), stop: () => child.stop() }
}

const NO_BUDGET = { perDay: null, warmUpFromMs: null }
const LIMITS = { concurrency: 1_000, queue: 10_000, ratePerSlot: Number.POSITIVE_INFINITY, budget: NO_BUDGET }

function engineFor(port: number): EngineDeps {
  return {
    heloName: "probe.bench.test",
    envelopeSender: "probe@bench.test",
    random: Math.random,
    proxy: null,
    replyTimeoutMs: REPLY_TIMEOUT_MS,
    dialPort: createDialPort({ allowPrivate: true, sandbox: null, smtpPort: port }),
    sources: createSources([], null),
    // As a node answers from its cache.
    resolver: { addresses: (host) => ({ kind: "addresses", addresses: [`127.0.1.${host.slice(2)}`] }) },
    pacer: new Pacer(LIMITS, Date.now),
    endpointLimiter: createEndpointLimiter(LIMITS, Date.now),
  }
}

const lone = (host: number) => request(host, ["real@example.test"])

function request(host: number, addresses: readonly string[]): ProbeRequest {
  return {
    ...BENCH_REQUEST,
    requestId: "bench",
    deadlineMs: 30_000,
    groups: [
      {
        mx: [{ host: `mx${1 + host}`, preference: 10 }],
        playbook: { ...BENCH_PLAYBOOK, operator: `mx${1 + host}` },
        recipients: addresses.map((address, index) => ({ index, address })),
        controls: ["q8x1z9k2m4@example.test"],
      },
    ],
  }
}

async function run(engine: EngineDeps, probeRequest: ProbeRequest): Promise<void> {
  await new ProbeRun(engine, probeRequest, (line) => {
    if (line.outcome.kind === "failure") throw new Error(`${line.outcome.failure}: ${line.outcome.detail}`)
    if (line.control?.kind !== "reply" || line.control.reply.code !== 550) throw new Error("wrong control")
  }).done
}

/** Runs the work in CONCURRENCY loops for SLICE_MS. @returns also the CPU time of this process per probe */
async function measure(work: (at: number) => Promise<void>) {
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  let count = 0
  const loop = async () => {
    while (performance.now() < startedAt + SLICE_MS) await work(count++)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, loop))
  const { user, system } = process.cpuUsage(cpuBefore)
  return { perSecond: count / ((performance.now() - startedAt) / 1_000), cpuMicroseconds: (user + system) / count }
}

/** Sends the bytes of a single probe over a bare socket. Counts replies without parsing them. */
function rawProbe(port: number, host: string): Promise<void> {
  const roundTrips = [
    "EHLO probe.bench.test\r\n",
    "MAIL FROM:<probe@bench.test>\r\nRCPT TO:<real@example.test>\r\nRCPT TO:<q8x1z9k2m4@example.test>\r\nQUIT\r\n",
  ]
  return new Promise((resolve, reject) => {
    let turn = 0
    const socket = createConnection({ port, host })
    socket.on("data", () => {
      const next = roundTrips[turn++]
      if (next) socket.write(next)
      else socket.destroy()
    })
    socket.once("error", reject)
    socket.once("close", () => resolve())
  })
}

async function medianRoundTrips(engine: EngineDeps, probeRequest: ProbeRequest): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 15; round++) {
    const startedAt = performance.now()
    await run(engine, probeRequest)
    times.push((performance.now() - startedAt) / TURN_MS)
  }
  return medianOf(times, (ms) => ms)
}

limitHeapGrowth()
if (process.argv.includes("--memory")) await benchMemory(print)
else await benchSpeed()
