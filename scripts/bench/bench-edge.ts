import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { ensureBuilt } from "../build/built.ts"
import { bundleWorker } from "../build/bundle.ts"
import { startChild } from "../dev/child.ts"
import { capnpText } from "../dev/workerd/workerd-config.ts"
import { startWorkerd, type Workerd } from "../dev/workerd/workerd-process.ts"
import { HttpClient, percentile } from "./http-client.ts"
import { cpuMsOf } from "./process-stats.ts"
import type { Service } from "./service.ts"

interface BareService {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** A separate workerd with default settings and a Worker of one route: the baseline for the product's Worker. */
async function startBareService(): Promise<BareService> {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-bare-"))
  await bundleWorker({
    entry: fileURLToPath(new URL("bare-worker.ts", import.meta.url)),
    folder: join(folder, "bundle"),
  })
  const config = {
    services: [
      {
        name: "bare",
        worker: {
          modules: [{ name: "worker.mjs", esModule: { embed: "bundle/worker.mjs" } }],
          compatibilityDate: "2026-10-01",
        },
      },
    ],
    sockets: [{ name: "api", address: "127.0.0.1:0", http: {}, service: "bare" }],
  }
  const configFile = join(folder, "workerd.capnp")
  writeFileSync(
    configFile,
    `using Workerd = import "/workerd/workerd.capnp";\nconst config :Workerd.Config = ${capnpText(config)};\n`,
  )
  const workerd: Workerd = await startWorkerd({ configFile, env: {}, sockets: ["api"], onLog: () => undefined })
  return {
    url: `http://127.0.0.1:${workerd.ports.get("api")}`,
    pid: workerd.pid,
    async stop() {
      await workerd.stop(1_000)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The output of a load generator. */
export interface Counted {
  readonly requests: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Answers with a status of 400 or more. */
  readonly refused: number
  /** Requests without an answer. */
  readonly broken: number
}

interface LoadOptions {
  readonly url: string
  /** Paths to request, in turn and repeatedly. */
  readonly paths: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  /** Whole seconds. */
  readonly seconds: number
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))
/** wrk needs a tenth of the CPU of autocannon, which leaves more for the service. */
const GENERATOR = isInstalled("wrk") ? "wrk" : "autocannon"

/** Keeps connections busy with GET requests from a separate process. */
async function generateLoad({ url, paths, headers, connections, seconds }: LoadOptions): Promise<Counted> {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-load-"))
  const file = join(folder, "paths")
  writeFileSync(file, `${paths.join("\n")}\n`)
  const sent = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const [command, args] =
    GENERATOR === "wrk"
      ? ["wrk", ["-t1", `-c${connections}`, `-d${seconds}s`, "-s", here("wrk.lua"), url, "--", file, ...sent]]
      : [process.execPath, [here("autocannon-load.ts"), url, file, String(connections), String(seconds), ...sent]]
  try {
    const child = spawn(command as string, args as string[], { stdio: ["ignore", "pipe", "inherit"] })
    const output = await text(child.stdout)
    return JSON.parse(output.trim().split("\n").at(-1) ?? "") as Counted
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function isInstalled(command: string): boolean {
  try {
    execFileSync("which", [command], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const CONNECTIONS = 32
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 12)
const SLICE_SECONDS = Number(process.env.BENCH_SLICE_SECONDS ?? 2)
const BATCH = 250
const ADDRESSES = Number(process.env.BENCH_ADDRESSES ?? 10_000)
/** Number of different paths in a slice: enough for the tail of the distribution. */
const PATHS = 5_000
/** Zipf's law with exponent 1: the n-th address is requested 1/n as often as the first. */
const HARMONIC = Array.from({ length: ADDRESSES }, (_, i) => 1 / (i + 1)).reduce((sum, one) => sum + one, 0)
const BARE = "bare Worker"

interface Row {
  readonly name: string
  readonly url: string
  /** The workerd process that answers. */
  readonly pid: number
  readonly path: () => string
  readonly headers?: Readonly<Record<string, string>>
  /** Every answer is a 404 instead of a 200. */
  readonly isMiss?: boolean
}

interface Slice extends Counted {
  /** CPU time of all threads of workerd per request, in microseconds. */
  readonly cpuUs: number
  readonly failures: number
}

const step = (text: string) => process.stderr.write(`... ${text}\n`)
await ensureBuilt({
  entry: "scripts/bench/edge-worker.ts",
  onBuild: () => step("building the Worker and the console"),
})
const dataDir = mkdtempSync(join(tmpdir(), "mailverdict-bench-"))
const bare = await startBareService()
const child = await startChild("service", "scripts/bench/service.ts", {
  env: {
    DATA_DIR: dataDir,
    ANONYMOUS_PER_MINUTE: "1000000",
    ANONYMOUS_PER_MONTH: "100000000",
    LOG_LEVEL: "warn",
    // `plans` has no limit of requests per minute, which one key would reach soon.
    LIMITS: "plans",
  },
  onLine: (line) => console.error(line),
})
const service = JSON.parse(child.readyLine) as Service
const client = new HttpClient(service.url)
try {
  const key = await makeKey()
  await fillCache(key)
  report(await measure(rows(key)))
} finally {
  client.close()
  await Promise.all([child.stop(), bare.stop()])
  rmSync(dataDir, { recursive: true, force: true })
}

function addressAt(rank: number): string {
  return `user${rank}@d${String(rank % 2_000).padStart(4, "0")}.test`
}

/** A rank drawn by Zipf's law. Inverts the cumulative sum approximately, which is exact enough for a draw. */
function zipfRank(below = ADDRESSES): number {
  for (;;) {
    const rank = Math.floor(Math.exp(Math.random() * HARMONIC - 0.5772))
    if (rank < below) return rank
  }
}

function rows(key: string): Row[] {
  const target = { url: service.url, pid: service.pids.workerd! }
  const headers = { "x-api-key": key }
  const fast = (rank: number) => `/validate/fast?email=${addressAt(rank)}`
  let missing = 0
  return [
    { name: BARE, url: bare.url, pid: bare.pid, path: () => "/bare/json" },
    { ...target, name: "/bare/json", path: () => "/bare/json" },
    { ...target, name: "floor: one KV read, one limiter", path: () => `/bare/floor?key=${zipfRank()}` },
    { ...target, name: "/validate/syntax", path: () => `/validate/syntax?email=${addressAt(zipfRank())}` },
    { ...target, name: "/validate/fast hit, key", path: () => fast(zipfRank()), headers },
    { ...target, name: "/validate/fast hit, no key", path: () => fast(zipfRank()) },
    { ...target, name: "/validate/fast hit, hot tenth", path: () => fast(zipfRank(ADDRESSES / 10)), headers },
    {
      ...target,
      name: "/validate/fast miss",
      path: () => `/validate/fast?email=x${missing++}@d0001.test`,
      headers,
      isMiss: true,
    },
    { ...target, name: "/validate, stored", path: () => `/validate?email=${addressAt(zipfRank())}`, headers },
  ]
}

/** Measures all rows in each round, in random order: noise of the machine and garbage affect all rows alike. */
async function measure(list: Row[]): Promise<Map<string, Slice[]>> {
  const slices = new Map<string, Slice[]>(list.map(({ name }) => [name, []]))
  for (let round = 0; round <= ROUNDS; round++) {
    step(`round ${round} of ${ROUNDS}`)
    for (const row of shuffled(list)) {
      const slice = await measureRow(row)
      // The first round is a warm-up.
      if (round > 0) slices.get(row.name)!.push(slice)
    }
  }
  return slices
}

async function measureRow({ url, pid, path, headers = {}, isMiss = false }: Row): Promise<Slice> {
  const paths = Array.from({ length: PATHS }, path)
  const before = cpuMsOf(pid)
  const counted = await generateLoad({ url, paths, headers, connections: CONNECTIONS, seconds: SLICE_SECONDS })
  const cpuMs = cpuMsOf(pid) - before
  const unexpected = isMiss ? counted.requests - counted.refused : counted.refused
  return { ...counted, cpuUs: (cpuMs * 1_000) / counted.requests, failures: unexpected + counted.broken }
}

function shuffled<T>(list: readonly T[]): T[] {
  const drawn = list.map((one) => ({ one, at: Math.random() }))
  return drawn.sort((a, b) => a.at - b.at).map(({ one }) => one)
}

function report(slices: ReadonlyMap<string, readonly Slice[]>): void {
  const median = (name: string, of: (slice: Slice) => number) => percentile(slices.get(name)!.map(of), 0.5)
  const bareCpu = median(BARE, ({ cpuUs }) => cpuUs)
  console.log(`${GENERATOR}, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SLICE_SECONDS} s; medians`)
  const headings = ["req/s", "CPU us/req", "x bare", "p50 ms", "p99 ms", "failures"].map((one) => one.padStart(11))
  console.log(`${"".padEnd(32)}${headings.join("")}`)
  for (const [name, list] of slices) {
    const cpu = median(name, ({ cpuUs }) => cpuUs)
    const cells = [
      median(name, ({ requests, seconds }) => requests / seconds).toFixed(0),
      cpu.toFixed(0),
      (cpu / bareCpu).toFixed(2),
      median(name, ({ p50Ms }) => p50Ms).toFixed(1),
      median(name, ({ p99Ms }) => p99Ms).toFixed(1),
      String(list.reduce((sum, { failures }) => sum + failures, 0)),
    ]
    console.log(name.padEnd(32) + cells.map((cell) => cell.padStart(11)).join(""))
  }
  console.log("\nTarget: /bare/json costs at most 1.3 times the CPU of the bare Worker.")
}

async function makeKey(): Promise<string> {
  const { body } = await client.call({
    method: "POST",
    path: "/keys",
    headers: { "content-type": "application/json", "x-admin-secret": service.adminSecret },
    body: { name: "bench", owner_email: "bench@mailbox.test", tier: "enterprise" },
  })
  return (JSON.parse(body) as { api_key: string }).api_key
}

/** Verifies and reads every address once through the service. The first read fills the edge's cache. */
async function fillCache(key: string): Promise<void> {
  const get = (path: string) => client.call({ method: "GET", path, headers: {} })
  for (let at = 0; at < ADDRESSES; at += BATCH) {
    step(`verifying ${at} of ${ADDRESSES}`)
    const emails = Array.from({ length: Math.min(BATCH, ADDRESSES - at) }, (_, n) => addressAt(at + n))
    const { status, body } = await client.call({
      method: "POST",
      path: "/validate/bulk/turbo",
      headers: { "content-type": "application/json", "x-api-key": key },
      body: { emails },
    })
    if (status !== 200) throw new Error(`turbo answered ${status}: ${body}`)
    await Promise.all(emails.map((email) => get(`/validate/fast?email=${email}`)))
    await get(`/bare/fill?from=${at}&to=${at + emails.length}`)
  }
}
