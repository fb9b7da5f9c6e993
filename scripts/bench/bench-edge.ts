import { spawn, spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { ensureBuilt } from "../build/built.ts"
import { bundleWorker } from "../build/bundle.ts"
import { capnpText } from "../dev/workerd/workerd-config.ts"
import { startWorkerd } from "../dev/workerd/workerd-process.ts"
import { createKey, measureInRounds, printTable, reportStep, startService, temporaryFolder } from "./bench-run.ts"
import { HttpClient, medianOf } from "./http-client.ts"
import { cpuMsOf } from "./process-stats.ts"

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** A separate workerd with default settings and a Worker of one route: the baseline for the product's Worker. */
async function startBareService(folder: string) {
  await bundleWorker({ entry: here("bare-worker.ts"), folder: join(folder, "bundle") })
  const modules = [{ name: "worker.mjs", esModule: { embed: "bundle/worker.mjs" } }]
  const config = {
    services: [{ name: "bare", worker: { modules, compatibilityDate: "2026-10-01" } }],
    sockets: [{ name: "api", address: "127.0.0.1:0", http: {}, service: "bare" }],
  }
  const configFile = join(folder, "workerd.capnp")
  writeFileSync(
    configFile,
    `using Workerd = import "/workerd/workerd.capnp";\nconst config :Workerd.Config = ${capnpText(config)};\n`,
  )
  return startWorkerd({ configFile, env: {}, sockets: ["api"], onLog: () => undefined })
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

/** wrk needs a tenth of the CPU of autocannon, which leaves more for the service. */
const GENERATOR = spawnSync("which", ["wrk"]).status === 0 ? "wrk" : "autocannon"

/** Keeps connections busy with GET requests from a separate process. @param paths to request, in turn and repeatedly */
async function generateLoad(
  url: string,
  paths: readonly string[],
  headers: Readonly<Record<string, string>>,
): Promise<Counted> {
  using folder = temporaryFolder("load")
  const file = join(folder.path, "paths")
  writeFileSync(file, `${paths.join("\n")}\n`)
  const sent = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const [command, args] =
    GENERATOR === "wrk"
      ? ["wrk", ["-t1", `-c${CONNECTIONS}`, `-d${SLICE_SECONDS}s`, "-s", here("wrk.lua"), url, "--", file, ...sent]]
      : [process.execPath, [here("autocannon-load.ts"), url, file, `${CONNECTIONS}`, `${SLICE_SECONDS}`, ...sent]]
  const child = spawn(command as string, args as string[], { stdio: ["ignore", "pipe", "inherit"] })
  const output = await text(child.stdout)
  return JSON.parse(output.trim().split("\n").at(-1) ?? "") as Counted
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

await ensureBuilt({
  entry: "scripts/bench/edge-worker.ts",
  onBuild: () => reportStep("building the Worker and the console"),
})
using dataDir = temporaryFolder()
using bareFolder = temporaryFolder("bare")
const bare = await startBareService(bareFolder.path)
const { child, service } = await startService({
  DATA_DIR: dataDir.path,
  ANONYMOUS_PER_MINUTE: "1000000",
  ANONYMOUS_PER_MONTH: "100000000",
  LOG_LEVEL: "warn",
  // `plans` has no limit of requests per minute, which one key would reach soon.
  LIMITS: "plans",
})
const client = new HttpClient(service.url)
try {
  const key = await createKey(service)
  await fillCache(key)
  report(await measureInRounds(rows(key), ROUNDS, measureRow))
} finally {
  client.close()
  await Promise.all([child.stop(), bare.stop(1_000)])
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
    { name: BARE, url: `http://127.0.0.1:${bare.ports.get("api")}`, pid: bare.pid, path: () => "/bare/json" },
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

async function measureRow({ url, pid, path, headers = {}, isMiss = false }: Row): Promise<Slice> {
  const paths = Array.from({ length: PATHS }, path)
  const before = cpuMsOf(pid)
  const counted = await generateLoad(url, paths, headers)
  const cpuMs = cpuMsOf(pid) - before
  const unexpected = isMiss ? counted.requests - counted.refused : counted.refused
  return { ...counted, cpuUs: (cpuMs * 1_000) / counted.requests, failures: unexpected + counted.broken }
}

function report(slices: ReadonlyMap<string, readonly Slice[]>): void {
  const bareCpu = medianOf(slices.get(BARE)!, ({ cpuUs }) => cpuUs)
  console.log(`${GENERATOR}, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SLICE_SECONDS} s; medians`)
  const table = [...slices].map(([name, list]) => {
    const cpuUs = medianOf(list, (slice) => slice.cpuUs)
    const cells = {
      "req/s": medianOf(list, ({ requests, seconds }) => requests / seconds).toFixed(0),
      "CPU us/req": cpuUs.toFixed(0),
      "x bare": (cpuUs / bareCpu).toFixed(2),
      "p50 ms": medianOf(list, ({ p50Ms }) => p50Ms).toFixed(1),
      "p99 ms": medianOf(list, ({ p99Ms }) => p99Ms).toFixed(1),
      failures: list.reduce((sum, { failures }) => sum + failures, 0),
    }
    return [name, cells] as const
  })
  printTable(table)
  console.log("\nTarget: /bare/json costs at most 1.3 times the CPU of the bare Worker.")
}

/** Verifies and reads every address once through the service. The first read fills the edge's cache. */
async function fillCache(key: string): Promise<void> {
  const get = (path: string) => client.call({ method: "GET", path, headers: {} })
  for (let at = 0; at < ADDRESSES; at += BATCH) {
    reportStep(`verifying ${at} of ${ADDRESSES}`)
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
