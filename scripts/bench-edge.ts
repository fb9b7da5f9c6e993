import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { generateLoad, type Load } from "./bench/http-load.ts"
import { startStack } from "./stack.ts"

const CONNECTIONS = 32
/** Twenty leave 4 % of noise. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 60)
const SLICE_MS = Number(process.env.BENCH_SLICE_MS ?? 400)
const BATCH = 250
const ADDRESSES = Number(process.env.BENCH_ADDRESSES ?? 10_000)
/** Zipf's law with exponent 1: the n-th most wanted address is asked for 1/n as often as the first. */
const HARMONIC = Array.from({ length: ADDRESSES }, (_, i) => 1 / (i + 1)).reduce((sum, one) => sum + one, 0)

interface Route {
  readonly name: string
  readonly path: () => string
  readonly headers?: string
  readonly expect: readonly number[]
}

const dataDir = mkdtempSync(join(tmpdir(), "mailverdict-bench-"))
const stack = await startStack({
  port: 0,
  dataDir,
  sandbox: true,
  settings: { ANONYMOUS_PER_MINUTE: "1000000", ANONYMOUS_PER_MONTH: "100000000", LOG_LEVEL: "warn" },
  build: true,
  workerEntry: "scripts/bench/edge-worker.ts",
  onLog: () => undefined,
  onStep: (step) => process.stderr.write(`... ${step}\n`),
})
try {
  const key = await makeKey()
  await fillCache(key)
  report(await measure(routes(key)))
} finally {
  await stack.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

function addressAt(rank: number): string {
  return `user${rank}@d${String(rank % 2_000).padStart(4, "0")}.test`
}

/** A rank drawn by Zipf's law, by inverting its cumulative sum roughly: exact enough for a draw. */
function zipfRank(): number {
  return Math.min(ADDRESSES - 1, Math.floor(Math.exp(Math.random() * HARMONIC - 0.5772)))
}

function routes(key: string): Route[] {
  const withKey = `x-api-key: ${key}\r\n`
  const fast = (rank: number) => `/validate/fast?email=${addressAt(rank)}`
  let missing = 0
  return [
    { name: "bare JSON route", path: () => "/bare/json", expect: [200] },
    { name: "floor: one KV read, one gate", path: () => `/bare/floor?key=${zipfRank()}`, expect: [200] },
    { name: "/validate/syntax", path: () => `/validate/syntax?email=${addressAt(zipfRank())}`, expect: [200] },
    { name: "/validate/fast hit, key", path: () => fast(zipfRank()), headers: withKey, expect: [200] },
    { name: "/validate/fast hit, no key", path: () => fast(zipfRank()), expect: [200] },
    { name: "/validate/fast hit, hot tenth", path: () => fast(hotRank()), headers: withKey, expect: [200] },
    { name: "/validate/fast miss", path: () => `/validate/fast?email=x${missing++}@d0001.test`, expect: [404] },
  ]
}

function hotRank(): number {
  for (;;) {
    const rank = zipfRank()
    if (rank < ADDRESSES / 10) return rank
  }
}

async function measure(list: Route[]): Promise<Map<string, Load[]>> {
  const loads = new Map<string, Load[]>(list.map(({ name }) => [name, []]))
  const port = Number(new URL(stack.url).port)
  // Turn and turn about in changing order, so that whatever else the machine does, and what the one before has left to be
  // collected, meets all alike; the first round only warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    process.stderr.write(`... round ${round} of ${ROUNDS}\n`)
    for (const { name, ...route } of shuffled(list)) {
      const load = await generateLoad({ port, connections: CONNECTIONS, durationMs: SLICE_MS, ...route })
      if (round > 0) loads.get(name)!.push(load)
    }
  }
  return loads
}

function shuffled<T>(list: readonly T[]): T[] {
  const drawn = list.map((one) => ({ one, at: Math.random() }))
  return drawn.sort((a, b) => a.at - b.at).map(({ one }) => one)
}

function report(loads: Map<string, Load[]>): void {
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
  const of = (name: string, field: keyof Load) => median(loads.get(name)!.map((load) => load[field]))
  const bare = of("bare JSON route", "requestsPerSecond")
  const floor = of("floor: one KV read, one gate", "requestsPerSecond")
  console.log(`${"".padEnd(32)}    req/s      p50      p99   /bare  /floor  failures`)
  for (const name of loads.keys()) {
    const rate = of(name, "requestsPerSecond")
    const cells = [
      rate.toFixed(0).padStart(9),
      `${of(name, "p50Ms").toFixed(1)}ms`.padStart(9),
      `${of(name, "p99Ms").toFixed(1)}ms`.padStart(9),
      (rate / bare).toFixed(2).padStart(8),
      (rate / floor).toFixed(2).padStart(8),
      String(loads.get(name)!.reduce((sum, { failures }) => sum + failures, 0)).padStart(10),
    ]
    console.log(name.padEnd(32) + cells.join(""))
  }
  console.log("\nAims: syntax at least 0.85 of bare; fast hits at least 0.9 of the floor, the hot tenth 0.5 of bare;")
  console.log("p99 of fast hits no worse than twice the floor's.")
}

async function makeKey(): Promise<string> {
  const response = await fetch(`${stack.url}/keys`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-admin-secret": stack.secrets.adminSecret },
    body: JSON.stringify({ name: "bench", owner_email: "bench@mailbox.test", tier: "enterprise" }),
  })
  return ((await response.json()) as { api_key: string }).api_key
}

/** Verifies every address once, through the service itself, and reads each once: the first read fills the edge's cache. */
async function fillCache(key: string): Promise<void> {
  const emails = Array.from({ length: ADDRESSES }, (_, rank) => addressAt(rank))
  for (let at = 0; at < emails.length; at += BATCH) {
    process.stderr.write(`... verifying ${at} of ${emails.length}\n`)
    const response = await fetch(`${stack.url}/validate/bulk/turbo`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key },
      body: JSON.stringify({ emails: emails.slice(at, at + BATCH) }),
    })
    if (!response.ok) throw new Error(`turbo answered ${response.status}: ${await response.text()}`)
    await response.body?.cancel()
    await Promise.all(
      emails.slice(at, at + BATCH).map(async (email) => {
        const read = await fetch(`${stack.url}/validate/fast?email=${email}`)
        await read.body?.cancel()
      }),
    )
    await (await fetch(`${stack.url}/bare/fill?from=${at}&to=${at + BATCH}`)).body?.cancel()
  }
}
