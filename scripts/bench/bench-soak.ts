import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { ensureBuilt } from "../build/built.ts"
import { startChild } from "../dev/child.ts"
import { HttpClient, Mix, type Outcome, percentile } from "./http-client.ts"
import { type ProcessStats, statsOf } from "./process-stats.ts"
import type { Service } from "./service.ts"
import { FAST, soakTraffic } from "./soak-traffic.ts"

const SECONDS = Number(process.env.BENCH_SECONDS ?? 600)
const ROUND_SECONDS = 60
const ROUNDS = Math.max(1, Math.round(SECONDS / ROUND_SECONDS))
/** Load of the soak, as a share of the maximum rate. */
const LOAD = Number(process.env.BENCH_LOAD ?? 0.7)
const CALLERS = 16
const SATURATION_MS = 5_000
/** Time for the jobs and webhooks of a saturation run to end. */
const SETTLE_MS = 3_000
const ALONE_MS = 8_000
/** Enough calls for a 99th percentile, at a tenth of the maximum rate. */
const ALONE_PER_SECOND = 50
const WARM_UP_MS = 10_000
const SAMPLES = 30

/**
 * In memory where possible. workerd and the database commit on the thread that answers, and the disk of a shared
 * machine sometimes stops for more than a second.
 */
const dataRoot = process.env.BENCH_DATA_DIR ?? (existsSync("/dev/shm") ? "/dev/shm" : tmpdir())
const logStep = (step: string) => process.stderr.write(`... ${step}\n`)

let webhooks = 0
const receiver = createServer((request, response) => {
  webhooks++
  request.resume()
  response.end()
})
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
const receiverHost = `127.0.0.1:${(receiver.address() as AddressInfo).port}`

await ensureBuilt({ onBuild: () => logStep("building the Worker and the console") })
const dataDir = mkdtempSync(join(dataRoot, "mailverdict-soak-"))
const child = await startChild("service", "scripts/bench/service.ts", {
  env: {
    DATA_DIR: dataDir,
    // `plans` has no limit of requests per minute, which one key would reach soon.
    LIMITS: "plans",
    LOG_LEVEL: "warn",
    WEBHOOK_ALLOW_HTTP: "1",
    WEBHOOK_ALLOW_HOSTS: receiverHost,
  },
  onLine: (line) => console.error(line),
})
const service = JSON.parse(child.readyLine) as Service
const client = new HttpClient(service.url)
try {
  const key = await makeKey(client, service.adminSecret)
  const mix = new Mix(await soakTraffic(client, { key, webhookUrl: `http://${receiverHost}/`, onStep: logStep }))
  logStep("warming up")
  await mix.saturate(CALLERS, WARM_UP_MS)
  const watch = watchProcesses(service)
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await soakRound(mix, round))
  report(rounds, watch.stop())
} finally {
  client.close()
  await child.stop()
  receiver.closeAllConnections()
  receiver.close()
  rmSync(dataDir, { recursive: true, force: true })
}

/**
 * Measures the maximum rate, fast hits alone, and the mix at a share of the maximum. A round is short, because the
 * speed of the machine changes over minutes.
 */
async function soakRound(mix: Mix, round: number): Promise<Round> {
  const most = await mix.saturate(CALLERS, SATURATION_MS)
  await sleep(SETTLE_MS)
  const alone = (await mix.atRate(ALONE_PER_SECOND, ALONE_MS, FAST)).get(FAST)!.ms
  logStep(`round ${round + 1} of ${ROUNDS}: ${(most * LOAD).toFixed(0)} calls a second`)
  const soakMs = Math.max(5_000, (SECONDS * 1_000) / ROUNDS - SATURATION_MS - SETTLE_MS - ALONE_MS)
  return { most, alone, soakMs, outcomes: await mix.atRate(most * LOAD, soakMs) }
}

async function makeKey(client: HttpClient, adminSecret: string): Promise<string> {
  const { body } = await client.call({
    method: "POST",
    path: "/keys",
    headers: { "content-type": "application/json", "x-admin-secret": adminSecret },
    body: { name: "soak", owner_email: "soak@mailbox.test", tier: "enterprise" },
  })
  return (JSON.parse(body) as { api_key: string }).api_key
}

type Sample = ReadonlyMap<string, ProcessStats>

/** Samples the processes of the service at intervals. */
function watchProcesses({ pids }: Service): { stop(): Sample[] } {
  const samples: Sample[] = []
  const sample = () => void samples.push(new Map(Object.entries(pids).map(([name, pid]) => [name, statsOf(pid)])))
  sample()
  const timer = setInterval(sample, (SECONDS * 1_000) / SAMPLES)
  return {
    stop() {
      clearInterval(timer)
      sample()
      return samples
    },
  }
}

interface Round {
  /** Calls per second. */
  readonly most: number
  /** Milliseconds of fast hits without other load. */
  readonly alone: readonly number[]
  readonly soakMs: number
  readonly outcomes: ReadonlyMap<string, Outcome>
}

function report(rounds: readonly Round[], samples: readonly Sample[]): void {
  const most = rounds.map((round) => round.most.toFixed(0)).join(", ")
  console.log(`maximum calls/s with ${CALLERS} callers, by round: ${most}; soak at ${LOAD} of it; data in ${dataRoot}`)
  const errors = reportCalls(rounds)
  reportProcesses(samples)
  const loaded = rounds.map(({ outcomes }) => percentile(outcomes.get(FAST)!.ms, 0.99))
  const alone = rounds.map(({ alone }) => percentile(alone, 0.99))
  const ratios = loaded.map((ms, round) => ms / alone[round]!)
  const list = (values: readonly number[]) => values.map((value) => value.toFixed(1)).join(" ")
  console.log(`\nwebhooks received: ${webhooks}; errors: ${errors} (target: 0)`)
  console.log(`p99 of fast hits, ms, by round: ${list(loaded)}; alone: ${list(alone)}`)
  console.log(`ratio: median ${percentile(ratios, 0.5).toFixed(1)} (target: at most 2); by round: ${list(ratios)}`)
}

/** @returns the number of unexpected answers */
function reportCalls(rounds: readonly Round[]): number {
  const seconds = rounds.reduce((sum, { soakMs }) => sum + soakMs, 0) / 1_000
  const headings = ["calls/s", "p50 ms", "p95 ms", "p99 ms", "errors"].map((one) => one.padStart(10))
  console.log(`\n${"".padEnd(36)}${headings.join("")}`)
  let errors = 0
  for (const name of rounds[0]!.outcomes.keys()) {
    const all = rounds.map(({ outcomes }) => outcomes.get(name)!)
    const ms = all.flatMap((outcome) => outcome.ms)
    const own = all.flatMap((outcome) => [...outcome.errors])
    const count = own.reduce((sum, [, n]) => sum + n, 0)
    errors += count
    const numbers = [ms.length / seconds, percentile(ms, 0.5), percentile(ms, 0.95), percentile(ms, 0.99)]
    const which = count > 0 ? `  ${own.map(([status, n]) => `${status}: ${n}`).join(", ")}` : ""
    const cells = [...numbers.map((n) => n.toFixed(1)), String(count)].map((cell) => cell.padStart(10))
    console.log(name.padEnd(36) + cells.join("") + which)
  }
  return errors
}

function reportProcesses(samples: readonly Sample[]): void {
  const headings = ["MB, first", "MB, middle", "MB, last", "handles", "... last"].map((one) => one.padStart(12))
  console.log(`\n${"".padEnd(18)}${headings.join("")}`)
  const [first, middle, last] = [samples[0]!, samples[Math.floor(samples.length / 2)]!, samples.at(-1)!]
  for (const name of first.keys()) {
    const [a, b, c] = [first.get(name)!, middle.get(name)!, last.get(name)!]
    const cells = [a.rssMb.toFixed(0), b.rssMb.toFixed(0), c.rssMb.toFixed(0), String(a.handles), String(c.handles)]
    console.log(name.padEnd(18) + cells.map((cell) => cell.padStart(12)).join(""))
  }
}
