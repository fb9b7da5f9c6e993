import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { ensureBuilt } from "../build/built.ts"
import { copyDatabase } from "../data/backup.ts"
import { createKey, measureInRounds, printTable, reportStep, startService, temporaryFolder } from "./bench-run.ts"
import type { Trip } from "./database-proxy.ts"
import { HttpClient, inParallel, medianOf, percentile } from "./http-client.ts"
import { cpuMsOf } from "./process-stats.ts"
import { meanRowBytes, replayWrites, startProxiedDatabase } from "./replay-writes.ts"

/**
 * What a verification costs: processor time of each process, round trips to the database before and after the answer,
 * rows, index entries and bytes, and the time of an answer with a far database. Ratios are to a bare route in the same run.
 */

const CALLERS = 8
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 6)
/** Calls of a case in one round. */
const CALLS = Number(process.env.BENCH_CALLS ?? 80)
const FAR_MS = 100
const FAR_CALLS = Number(process.env.BENCH_FAR_CALLS ?? 40)
/** Calls one by one, whose trips and rows are counted. */
const LONE_CALLS = 7
/** Writes that follow an answer arrive within this time. What an isolate gathers for longer is not part of one call. */
const AFTER_MS = 1_000
/** Counters that an isolate writes every 4 to 10 s, and the lease of the edge. */
const NOT_OF_A_CALL = /INTO (request|service)_counts|UPDATE installation/
const KNOWN_DOMAINS = 100
const STORED = 400

interface Case {
  readonly name: string
  readonly path: (n: number) => string
  readonly status?: number
  /** Calls in a round are multiplied, so that the ticks of Linux's clock (10 ms) can measure them. */
  readonly times: number
}

interface Cost {
  /** CPU ms a call, by process. */
  readonly cpu: Record<(typeof PROCESSES)[number], number>
  readonly perSecond: number
}

/** Trips before and after the answer, and what they write. */
const LONE_FIGURES = ["before", "after", "rows", "entries", "bytes"] as const
type Lone = Record<(typeof LONE_FIGURES)[number], number>

const PROCESSES = ["workerd", "database", "probe-node"] as const
const BARE = "bare route"
const domain = (n: number) => `d${String(n).padStart(4, "0")}.test`
let drawn = 0
let domains = KNOWN_DOMAINS
/** Answers with another status than expected, such as a 503 of a machine that stands still. */
let unexpected = 0
/** Addresses that exist only once in a run; the domains end after 1,900. */
const CASES: Case[] = [
  { name: BARE, path: () => "/bare/json", times: 20 },
  { name: "syntax", path: () => `/validate/syntax?email=user1@${domain(1)}`, times: 8 },
  { name: "fast hit", path: (n) => `/validate/fast?email=${storedAt(n)}`, times: 8 },
  { name: "fast miss", path: () => `/validate/fast?email=x${drawn++}@${domain(1)}`, status: 404, times: 4 },
  { name: "stored", path: (n) => `/validate?email=${storedAt(n)}`, times: 4 },
  { name: "new address", path: () => `/validate?email=new${drawn++}@${domain(drawn % KNOWN_DOMAINS)}`, times: 1 },
  { name: "new domain", path: () => `/validate?email=user1@${domain(domains++)}`, times: 1 },
]

await ensureBuilt({ entry: "scripts/bench/edge-worker.ts", onBuild: () => reportStep("building the Worker") })
using dataDir = temporaryFolder()
const database = await startProxiedDatabase(join(dataDir.path, "database"))
const SETTINGS = {
  DATA_DIR: dataDir.path,
  LIBSQL_URL: database.url,
  LIBSQL_AUTH_TOKEN: database.authToken,
  LOG_LEVEL: "warn",
  // The plan `pro` has a limit of credits per month.
  LIMITS: "plans",
  RDAP_BOOTSTRAP_URL: "http://127.0.0.1:9/",
  GRAVATAR_URL: "http://127.0.0.1:9/",
}
let { child, service } = await startService(SETTINGS)
let client = new HttpClient(service.url)
try {
  await fillStore()
  const costs = await measureInRounds(CASES, ROUNDS, measureCost)
  const lone = await measureLone()
  const far = await measureFar()
  report(costs, lone, far)
} finally {
  client.close()
  await child.stop()
  await database.stop()
}

function storedAt(n: number): string {
  return `user${n % STORED}@${domain(n % KNOWN_DOMAINS)}`
}

/** Verifies the addresses that are stored later, and reads each once: that fills the edge's cache. */
async function fillStore(): Promise<void> {
  reportStep("verifying the stored addresses")
  const key = await newKey("enterprise")
  await inParallel(CALLERS, STORED, (n) => get(`/validate?email=${storedAt(n)}`, key))
  await inParallel(CALLERS, STORED, (n) => get(`/validate/fast?email=${storedAt(n)}`, key))
}

async function measureCost({ path, times, status }: Case): Promise<Cost> {
  const calls = CALLS * times
  const key = await newKey("pro")
  const pids = { ...service.pids, database: database.pid } as Record<(typeof PROCESSES)[number], number>
  const before = PROCESSES.map((name) => cpuMsOf(pids[name]))
  const startedAt = performance.now()
  await inParallel(CALLERS, calls, (n) => get(path(n), key, status))
  const perSecond = (calls * 1_000) / (performance.now() - startedAt)
  // Work after the answer belongs to the call.
  await sleep(AFTER_MS)
  const cpu = PROCESSES.map((name, n) => [name, (cpuMsOf(pids[name]) - before[n]!) / calls] as const)
  return { perSecond, cpu: Object.fromEntries(cpu) as Cost["cpu"] }
}

/** Counts the trips and rows of single calls. The median of several, because a cron may fall between. */
async function measureLone(): Promise<Map<string, Lone>> {
  const results = new Map<string, Lone>()
  for (const { name, path, status } of CASES) {
    reportStep(`counting the trips of: ${name}`)
    const key = await newKey("pro")
    await get(path(0), key, status)
    await sleep(2 * AFTER_MS)
    const copy = join(dataDir.path, `copy-${results.size}.db`)
    copyDatabase(database.file, copy)
    await database.set({ delayMs: 0, records: true })
    const calls: { trips: Trip[]; answeredAt: number }[] = []
    for (let n = 1; n <= LONE_CALLS; n++) {
      await database.recordedTrips()
      await get(path(n), key, status)
      const answeredAt = performance.timeOrigin + performance.now()
      await sleep(AFTER_MS)
      const trips = (await database.recordedTrips()).filter(({ body }) => !NOT_OF_A_CALL.test(body))
      calls.push({ trips, answeredAt })
    }
    await database.set({ delayMs: 0, records: false })
    const written = replayWrites(
      copy,
      calls.flatMap(({ trips }) => trips.map(({ body }) => body)),
    )
    const counted = calls.map(({ trips, answeredAt }) => {
      const writes = written.splice(0, trips.length)
      const before = trips.filter(({ at }) => at < answeredAt).length
      return {
        before,
        after: trips.length - before,
        rows: writes.reduce((sum, { rows }) => sum + rows, 0),
        entries: writes.reduce((sum, { entries }) => sum + entries, 0),
        bytes: trips.reduce((sum, { body }) => sum + body.length, 0),
      }
    })
    const medians = LONE_FIGURES.map((figure) => [figure, medianOf(counted, (one) => one[figure])] as const)
    results.set(name, Object.fromEntries(medians) as Lone)
  }
  return results
}

/** Times of the answer in ms while each trip to the database takes 100 ms more: of a service that was started there. */
async function measureFar(): Promise<Map<string, number[]>> {
  client.close()
  await child.stop()
  await database.set({ delayMs: FAR_MS, records: false })
  ;({ child, service } = await startService(SETTINGS))
  client = new HttpClient(service.url)
  const times = new Map<string, number[]>()
  for (const { name, path, status } of CASES) {
    reportStep(`a database ${FAR_MS} ms away: ${name}`)
    const key = await newKey("pro")
    await get(path(0), key, status)
    const all: number[] = []
    await inParallel(CALLERS, FAR_CALLS, async (n) => {
      const startedAt = performance.now()
      await get(path(n), key, status)
      all.push(performance.now() - startedAt)
    })
    times.set(name, all)
  }
  await database.set({ delayMs: 0, records: false })
  return times
}

function report(costs: Map<string, Cost[]>, lone: Map<string, Lone>, far: Map<string, number[]>): void {
  const bare = medianOf(costs.get(BARE)!, ({ cpu }) => cpu.workerd)
  console.log(`${CALLERS} callers, ${ROUNDS} rounds of ${CALLS} calls or more; medians. CPU in ms a call.`)
  const table = CASES.map(({ name }) => {
    const cost = (of: (cost: Cost) => number) => medianOf(costs.get(name)!, of)
    const { before, ...trips } = lone.get(name)!
    const cells = {
      workerd: cost(({ cpu }) => cpu.workerd).toFixed(2),
      "x bare": (cost(({ cpu }) => cpu.workerd) / bare).toFixed(1),
      database: cost(({ cpu }) => cpu.database).toFixed(2),
      node: cost(({ cpu }) => cpu["probe-node"]).toFixed(2),
      "calls/s": cost(({ perSecond }) => perSecond).toFixed(0),
      trips: before,
      ...trips,
      "far p50": percentile(far.get(name)!, 0.5).toFixed(0),
      "far p95": percentile(far.get(name)!, 0.95).toFixed(0),
    }
    return [name, cells] as const
  })
  printTable(table)
  const perAddress = meanRowBytes(database.file, ["results", "domains", "verifications"]).map(
    ([table, bytes]) => `${table} ${bytes}`,
  )
  console.log(`\nBytes a row: ${perAddress.join(", ")}. Unexpected answers: ${unexpected}`)
}

async function get(path: string, key: string, expected = 200): Promise<void> {
  const { status, body } = await client.call({ method: "GET", path, headers: { "x-api-key": key } })
  if (status === expected) return
  unexpected++
  if (unexpected === 1) reportStep(`${path} answered ${status}: ${body}`)
}

/** A new key each time: the limit of a minute is smaller than what a bench calls. */
function newKey(tier: "pro" | "enterprise"): Promise<string> {
  return createKey(service, { tier, owner: `bench${drawn++}@mailbox.test` })
}
