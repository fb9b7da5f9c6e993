import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ensureBuilt } from "../build/built.ts"
import { startChild } from "../dev/child.ts"
import { type Call, HttpClient, percentile } from "./http-client.ts"
import type { Service } from "./service.ts"

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 20)
/** Calls of each endpoint in a round. */
const CALLS = Number(process.env.BENCH_CALLS ?? 100)
/** Visitors at a time: a form is quiet, so the times are those of an endpoint and not of a queue. */
const VISITORS = 2
const DOMAINS = 100
const ORIGIN = "https://shop.example"
/** How much longer than `/validate/fast` the form endpoint may take at the 95th percentile. */
const TARGET_MS = 60

/**
 * Compares `POST /form/verify` with `GET /validate/fast` in one run, for addresses with a stored result, and for unknown
 * addresses of known domains. The service runs in another process.
 */
const step = (text: string) => process.stderr.write(`... ${text}\n`)
await ensureBuilt({ onBuild: () => step("building the Worker and the console") })
const dataDir = mkdtempSync(join(tmpdir(), "mailverdict-bench-"))
const child = await startChild("service", "scripts/bench/service.ts", {
  env: { DATA_DIR: dataDir, LOG_LEVEL: "warn", LIMITS: "plans", CLIENT_IP_HEADER: "x-real-ip" },
  onLine: (line) => console.error(line),
})
const service = JSON.parse(child.readyLine) as Service
const clients = Array.from({ length: VISITORS }, () => new HttpClient(service.url))
const json = { "content-type": "application/json" }

try {
  const key = await makeKey({ tier: "enterprise" }, { "x-admin-secret": service.adminSecret })
  const form = { kind: "publishable", allowed_origins: [ORIGIN], daily_budget: 1_000_000 }
  const publishable = await makeKey(form, { "x-api-key": key })
  await knowDomains(key)
  report(await measure(key, publishable))
} finally {
  for (const client of clients) client.close()
  await child.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

type Times = Record<"fast, stored" | "form, stored" | "form, known domain", number[]>

async function measure(key: string, publishable: string): Promise<Times> {
  const times: Times = { "fast, stored": [], "form, stored": [], "form, known domain": [] }
  let calls = 0
  const check = (email: string): Call => {
    const headers = { ...json, "x-api-key": publishable, origin: ORIGIN, "x-real-ip": networkOf(calls++) }
    return { method: "POST", path: "/form/verify", headers, body: { email } }
  }
  const fast = (email: string): Call => {
    return { method: "GET", path: `/validate/fast?email=${email}`, headers: { "x-api-key": key } }
  }
  for (let round = 0; round <= ROUNDS; round++) {
    step(`round ${round} of ${ROUNDS}`)
    const taken = await inTurn([
      ["fast, stored", (n) => fast(storedAt(n))],
      ["form, stored", (n) => check(storedAt(n))],
      ["form, known domain", (n) => check(`new-${round}-${n}@${domainAt(n)}`)],
    ])
    // The first round is a warm-up.
    if (round > 0) for (const [name, list] of taken) times[name].push(...list)
  }
  return times
}

type Named = readonly [name: keyof Times, call: (n: number) => Call]

/** Makes the calls of all kinds alternately: noise of the machine affects all alike. */
async function inTurn(kinds: readonly Named[]): Promise<Map<keyof Times, number[]>> {
  const taken = new Map(kinds.map(([name]) => [name, [] as number[]]))
  const visitor = async (client: HttpClient, first: number) => {
    for (let n = first; n < CALLS; n += VISITORS)
      for (const [name, call] of kinds) {
        const startedAt = performance.now()
        const { status, body } = await client.call(call(n))
        if (status !== 200) throw new Error(`${name} answered ${status}: ${body}`)
        taken.get(name)!.push(performance.now() - startedAt)
      }
  }
  await Promise.all(clients.map((client, at) => visitor(client, at)))
  return taken
}

/** Each call comes from a network of its own, as that of another visitor. */
function networkOf(call: number): string {
  return `10.${(call >> 16) & 255}.${(call >> 8) & 255}.${call & 255}`
}

function domainAt(n: number): string {
  return `d${String(n % DOMAINS).padStart(4, "0")}.test`
}

function storedAt(n: number): string {
  return `user1@${domainAt(n)}`
}

function report(times: Times): void {
  console.log(`${VISITORS} visitors, ${ROUNDS} rounds of ${CALLS} calls each; milliseconds`)
  console.log(`${"".padEnd(22)}${["p50", "p95", "p99"].map((one) => one.padStart(8)).join("")}`)
  for (const [name, list] of Object.entries(times)) {
    const cells = [0.5, 0.95, 0.99].map((share) => percentile(list, share).toFixed(1).padStart(8))
    console.log(name.padEnd(22) + cells.join(""))
  }
  const p95 = (name: keyof Times) => percentile(times[name], 0.95)
  const slower = Math.max(p95("form, stored"), p95("form, known domain")) - p95("fast, stored")
  console.log(`\nThe form endpoint's p95 is ${slower.toFixed(1)} ms above that of /validate/fast.`)
  console.log(`Target: at most ${TARGET_MS} ms above it.`)
}

async function makeKey(about: object, headers: Readonly<Record<string, string>>): Promise<string> {
  const body = { name: "bench", owner_email: "bench@mailbox.test", ...about }
  const answer = await clients[0]!.call({ method: "POST", path: "/keys", headers: { ...json, ...headers }, body })
  if (answer.status !== 200) throw new Error(`POST /keys answered ${answer.status}: ${answer.body}`)
  return (JSON.parse(answer.body) as { api_key: string }).api_key
}

/** Verifies one address of each domain. */
async function knowDomains(key: string): Promise<void> {
  step(`verifying ${DOMAINS} addresses`)
  const emails = Array.from({ length: DOMAINS }, (_, n) => storedAt(n))
  const headers = { ...json, "x-api-key": key }
  const call: Call = { method: "POST", path: "/validate/bulk/turbo", headers, body: { emails } }
  const { status, body } = await clients[0]!.call(call)
  if (status !== 200) throw new Error(`turbo answered ${status}: ${body}`)
}
