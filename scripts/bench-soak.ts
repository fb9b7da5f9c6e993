import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Mix, type Outcome, percentile, type Traffic } from "./bench/mixed-traffic.ts"
import { type ProcessStats, statsOf, workerdOf } from "./bench/process-stats.ts"
import { type Stack, startStack } from "./stack.ts"

const SECONDS = Number(process.env.BENCH_SECONDS ?? 600)
const ROUND_SECONDS = 60
const ROUNDS = Math.max(1, Math.round(SECONDS / ROUND_SECONDS))
const LOAD = 0.7
const CALLERS = 16
const FLAT_OUT_MS = 5_000
/** Jobs and webhooks of a flat-out run end in this time. */
const SETTLE_MS = 3_000
const ALONE_MS = 8_000
/** Enough for a 99th percentile, and a tenth of what it can do. */
const ALONE_PER_SECOND = 50
const WARM_UP_MS = 10_000
const SAMPLES = 30
const KNOWN = 2_000
const FAST = "/validate/fast, known"

let webhooks = 0
const receiver = createServer((request, response) => {
  webhooks++
  request.resume()
  response.end()
})
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
const receiverHost = `127.0.0.1:${(receiver.address() as AddressInfo).port}`

/**
 * In memory where there is a place for it: workerd and the database commit on the thread that answers, and a shared machine's
 * disk stops now and then for more than a second.
 */
const dataRoot = process.env.BENCH_DATA_DIR ?? (existsSync("/dev/shm") ? "/dev/shm" : tmpdir())
const dataDir = mkdtempSync(join(dataRoot, "mailverdict-soak-"))
const tell = (step: string) => process.stderr.write(`... ${step}\n`)
const stack = await startStack({
  port: 0,
  dataDir,
  sandbox: true,
  // Without a limit of calls a minute, which one key would soon meet.
  settings: { LIMITS: "plans", LOG_LEVEL: "warn", WEBHOOK_ALLOW_HTTP: "1", WEBHOOK_ALLOW_HOSTS: receiverHost },
  build: true,
  onLog: () => undefined,
  onStep: tell,
})
try {
  const key = await makeKey(stack)
  const mix = new Mix(await traffic(stack, key))
  tell("warming up")
  await mix.flatOut(CALLERS, WARM_UP_MS)
  const watch = watchProcesses(stack)
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await soakRound(mix, round))
  report(rounds, watch.stop())
} finally {
  await stack.stop()
  receiver.closeAllConnections()
  receiver.close()
  rmSync(dataDir, { recursive: true, force: true })
}

/**
 * What it can do at most, fast hits alone, and the mix at a share of that most: a round is short enough that all three meet
 * the same machine, whose speed changes over minutes.
 */
async function soakRound(mix: Mix, round: number): Promise<Round> {
  const most = await mix.flatOut(CALLERS, FLAT_OUT_MS)
  await sleep(SETTLE_MS)
  const alone = (await mix.atRate(ALONE_PER_SECOND, ALONE_MS, FAST)).get(FAST)!.ms
  tell(`round ${round + 1} of ${ROUNDS}: ${(most * LOAD).toFixed(0)} calls a second`)
  const soakMs = Math.max(5_000, (SECONDS * 1_000) / ROUNDS - FLAT_OUT_MS - SETTLE_MS - ALONE_MS)
  return { most, alone, soakMs, outcomes: await mix.atRate(most * LOAD, soakMs) }
}

async function makeKey({ url, secrets }: Stack): Promise<string> {
  const response = await fetch(`${url}/keys`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-admin-secret": secrets.adminSecret },
    body: JSON.stringify({ name: "soak", owner_email: "soak@mailbox.test", tier: "enterprise" }),
  })
  return ((await response.json()) as { api_key: string }).api_key
}

function addressAt(n: number): string {
  return `user${n}@d${String(n % 2_000).padStart(4, "0")}.test`
}

function known(): string {
  return addressAt(Math.floor(Math.random() * KNOWN))
}

/** What callers do, by how often; the first of them is prepared: its addresses are verified, and read once, which fills the edge's cache. */
async function traffic({ url }: Stack, key: string): Promise<Traffic[]> {
  const headers = { "x-api-key": key, "content-type": "application/json" }
  const get = async (path: string) => {
    const response = await fetch(url + path, { headers })
    await response.arrayBuffer()
    return response.status
  }
  const post = (path: string, body: unknown) =>
    fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })
  let fresh = 1_000_000
  const jobs: string[] = []
  const list = (count: number) => Array.from({ length: count }, () => addressAt(fresh++))
  const makeKnown = async (emails: string[]) => {
    await (await post("/validate/bulk/turbo", { emails })).arrayBuffer()
    for (const email of emails) await get(`/validate/fast?email=${email}`)
  }
  tell("verifying the addresses that are to be known")
  for (let at = 0; at < KNOWN; at += 250) await makeKnown(Array.from({ length: 250 }, (_, n) => addressAt(at + n)))
  return [
    { name: FAST, weight: 800, expect: [200], call: () => get(`/validate/fast?email=${known()}`) },
    {
      name: "/validate/fast, unknown",
      weight: 60,
      expect: [404],
      call: () => get(`/validate/fast?email=${addressAt(fresh++)}`),
    },
    {
      name: "/validate/quick",
      weight: 60,
      expect: [200],
      call: () => get(`/validate/quick?email=${addressAt(fresh++)}`),
    },
    { name: "/validate", weight: 40, expect: [200], call: () => get(`/validate?email=${addressAt(fresh++)}`) },
    {
      name: "/validate/bulk/turbo, 50",
      weight: 2,
      expect: [200],
      async call() {
        const response = await post("/validate/bulk/turbo", { emails: list(50) })
        await response.arrayBuffer()
        return response.status
      },
    },
    {
      name: "/validate/bulk/async, 50, webhook",
      weight: 2,
      expect: [200],
      async call() {
        const response = await post("/validate/bulk/async", {
          emails: list(50),
          webhook_url: `http://${receiverHost}/`,
        })
        const { job_id } = (await response.json()) as { job_id: string }
        jobs.push(job_id)
        return response.status
      },
    },
    {
      name: "/jobs/{job_id}",
      weight: 40,
      expect: [200],
      call: () =>
        jobs.length > 0
          ? get(`/jobs/${jobs.at(-1 - Math.floor(Math.random() * 5)) ?? jobs[0]}?limit=1`)
          : get("/usage"),
    },
  ]
}

type Sample = ReadonlyMap<string, ProcessStats>

/** Looks at each process of the service now and then. The one that makes the load is the host of workerd too. */
function watchProcesses({ children }: Stack): { stop(): Sample[] } {
  const pids = new Map(children.map(({ name, pid }) => [name, pid] as const))
  pids.set("workerd", workerdOf(process.pid))
  pids.set("host and load", process.pid)
  const samples: Sample[] = []
  const look = () => void samples.push(new Map([...pids].map(([name, pid]) => [name, statsOf(pid)])))
  look()
  const timer = setInterval(look, (SECONDS * 1_000) / SAMPLES)
  return {
    stop() {
      clearInterval(timer)
      look()
      return samples
    },
  }
}

interface Round {
  /** Calls a second. */
  readonly most: number
  /** Milliseconds of fast hits with nothing else going on. */
  readonly alone: readonly number[]
  readonly soakMs: number
  readonly outcomes: ReadonlyMap<string, Outcome>
}

function report(rounds: readonly Round[], samples: readonly Sample[]): void {
  const most = rounds.map((round) => round.most.toFixed(0)).join(", ")
  console.log(
    `calls/s at most with ${CALLERS} callers, by round: ${most}; soaked at ${LOAD} of it; data in ${dataRoot}`,
  )
  const errors = reportCalls(rounds)
  reportProcesses(samples)
  const loaded = rounds.map(({ outcomes }) => percentile(outcomes.get(FAST)!.ms, 0.99))
  const alone = rounds.map(({ alone }) => percentile(alone, 0.99))
  const ratios = loaded.map((ms, round) => ms / alone[round]!)
  const list = (values: readonly number[]) => values.map((value) => value.toFixed(1)).join(" ")
  console.log(`\nwebhooks received: ${webhooks}; errors: ${errors} (aim: 0)`)
  console.log(`p99 of fast hits, ms, by round: ${list(loaded)}; alone: ${list(alone)}`)
  console.log(`ratio: median ${percentile(ratios, 0.5).toFixed(1)} (aim: at most 2); by round: ${list(ratios)}`)
}

/** @returns how many answers were outside the contract */
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
