import { ensureBuilt } from "../build/built.ts"
import { createKey, printTable, reportStep, startService, temporaryFolder } from "./bench-run.ts"
import { HttpClient, inParallel, percentile } from "./http-client.ts"

/**
 * Compares `POST /form/verify` with `GET /validate/fast` in one run: for addresses with a stored result, and for new
 * addresses of known domains. The calls of all kinds alternate, so noise of the machine affects all alike.
 */

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 20)
/** Calls of each kind in one round. */
const CALLS = Number(process.env.BENCH_CALLS ?? 100)
/** A form is quiet: more visitors at once would measure a queue instead of the endpoint. */
const VISITORS = 2
const DOMAINS = 100
const ORIGIN = "https://shop.example"
/** Milliseconds by which the 95th percentile of the form endpoint may exceed that of `/validate/fast`. */
const TARGET_MS = 60
const FAST = "fast, stored"
const FORM_STORED = "form, stored"
const FORM_NEW = "form, new address"

type Request = Parameters<HttpClient["call"]>[0]
interface Kind {
  readonly name: string
  /** @param n counts the calls of a round from 0 */
  readonly request: (round: number, n: number) => Request
}

await ensureBuilt({ onBuild: () => reportStep("building the Worker and the console") })
using dataDir = temporaryFolder()
// Each visitor has a network of its own, as in production behind a proxy.
const env = { DATA_DIR: dataDir.path, LOG_LEVEL: "warn", CLIENT_IP_HEADER: "x-real-ip" }
const { child, service } = await startService(env)
const client = new HttpClient(service.url)
let visitors = 0
try {
  const key = await createKey(service, { tier: "unlimited" })
  const pageKey = await createPageKey(key)
  await learnDomains(key)
  report(await measure(kindsOf(key, pageKey)))
} finally {
  client.close()
  await child.stop()
}

function kindsOf(key: string, pageKey: string): readonly Kind[] {
  const verify = (email: string): Request => {
    const headers = { "content-type": "text/plain", "x-api-key": pageKey, origin: ORIGIN, "x-real-ip": nextNetwork() }
    return { method: "POST", path: "/form/verify", headers, body: { email } }
  }
  const readFast = (email: string): Request => {
    return { method: "GET", path: `/validate/fast?email=${email}`, headers: { "x-api-key": key } }
  }
  return [
    { name: FAST, request: (_, n) => readFast(storedAt(n)) },
    { name: FORM_STORED, request: (_, n) => verify(storedAt(n)) },
    { name: FORM_NEW, request: (round, n) => verify(`new-${round}-${n}@${domainAt(n)}`) },
  ]
}

/** Times in ms by kind. The first round is a warm-up. */
async function measure(kinds: readonly Kind[]): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>(kinds.map(({ name }) => [name, []]))
  for (let round = 0; round <= ROUNDS; round++) {
    reportStep(`round ${round} of ${ROUNDS}`)
    await inParallel(VISITORS, CALLS, async (n) => {
      for (const { name, request } of kinds) {
        const startedAt = performance.now()
        await call(request(round, n))
        if (round > 0) times.get(name)!.push(performance.now() - startedAt)
      }
    })
  }
  return times
}

function report(times: Map<string, number[]>): void {
  console.log(`${VISITORS} visitors, ${ROUNDS} rounds of ${CALLS} calls of each kind. Times in ms.`)
  const p95 = (name: string) => percentile(times.get(name)!, 0.95)
  printTable(
    [...times].map(([name, all]) => {
      const [p50, p99] = [percentile(all, 0.5).toFixed(1), percentile(all, 0.99).toFixed(1)]
      return [name, { p50, p95: p95(name).toFixed(1), p99 }] as const
    }),
  )
  const more = Math.max(p95(FORM_STORED), p95(FORM_NEW)) - p95(FAST)
  console.log(`\n/form/verify: p95 ${more.toFixed(1)} ms above /validate/fast. Target: at most ${TARGET_MS} ms.`)
}

/** Creates the publishable key of a page. */
async function createPageKey(key: string): Promise<string> {
  const body = {
    name: "bench",
    owner_email: "bench@mailbox.test",
    kind: "publishable",
    tier: "unlimited",
    allowed_origins: [ORIGIN],
    daily_budget: 1_000_000,
  }
  return (JSON.parse(await call(postOf("/keys", key, body))) as { api_key: string }).api_key
}

/** Verifies one address of each domain. */
async function learnDomains(key: string): Promise<void> {
  reportStep(`verifying ${DOMAINS} addresses`)
  const emails = Array.from({ length: DOMAINS }, (_, n) => storedAt(n))
  await call(postOf("/validate/bulk", key, { emails }))
}

function postOf(path: string, key: string, body: object): Request {
  return { method: "POST", path, headers: { "content-type": "application/json", "x-api-key": key }, body }
}

/** @throws Error unless the answer is 200: a refusal is faster than an answer */
async function call(request: Request): Promise<string> {
  const { status, body } = await client.call(request)
  if (status !== 200) throw new Error(`${request.path} answered ${status}: ${body}`)
  return body
}

function nextNetwork(): string {
  const n = visitors++
  return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
}

function domainAt(n: number): string {
  return `d${String(n % DOMAINS).padStart(4, "0")}.test`
}

function storedAt(n: number): string {
  return `user1@${domainAt(n)}`
}
