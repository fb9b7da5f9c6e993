import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { createClient } from "@libsql/client/web"
import { ensureBuilt } from "../build/built.ts"
import { startChild } from "../dev/child.ts"
import { startLibsqlServer } from "../libsql-server/main.ts"
import { type Answer, HttpClient, percentile } from "./http-client.ts"
import type { Service } from "./service.ts"

/** New addresses requested at once, one burst after the other. */
const SIZES = (process.env.BENCH_SIZES ?? "100,200,400").split(",").map(Number)
/** Bursts of each size. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 1)
/** Admin calls at once, each of which appends to the audit trail. 0 omits them. */
const ADMIN_CALLS = Number(process.env.BENCH_ADMIN_CALLS ?? 0)
/** `sqld`, or the server that `npm start` runs. */
const ON_SQLD = process.env.BENCH_DATABASE === "sqld"
/** Options of sqld, separated by spaces. Empty: its defaults. */
const SQLD_ARGS = process.env.BENCH_SQLD_ARGS ?? ""
/** Time for a write after a burst, and for the work that continues after the last answer, in ms. */
const WRITE_WITHIN_MS = 1_000
const REST_WITHIN_MS = 40_000
/** Domains of the sandbox with a mail host, d0000.test and so on. */
const DOMAINS = 2_000

interface Burst {
  readonly size: number
  readonly verdicts: number
  /** Status unknown: free, and without a verdict. */
  readonly unknown: number
  /** 503 with Retry-After. */
  readonly unavailable: number
  /** Any other answer, or none. */
  readonly other: number
  readonly p50Ms: number
  readonly maxMs: number
  /** Credits of the ledger minus verdicts, once no charge is open. 0 is exact. */
  readonly overcharged: number
  /** Reserved charges without a result. The sweep refunds them later. */
  readonly open: number
  /** The first write after the last answer, in ms. Null when it failed or took too long. */
  readonly writeMs: number | null
}

const step = (text: string) => process.stderr.write(`... ${text}\n`)
await ensureBuilt({ onBuild: () => step("building the Worker and the console") })
const dataDir = mkdtempSync(join(tmpdir(), "mailverdict-burst-"))
const database = await (ON_SQLD ? startSqld() : startEmbedded())
const events = new Map<string, number>()
const child = await startChild("service", "scripts/bench/service.ts", {
  env: {
    DATA_DIR: dataDir,
    LIBSQL_URL: database.url,
    LIBSQL_AUTH_TOKEN: database.authToken,
    // As with `npm start`.
    ...(ON_SQLD ? {} : { LIBSQL_WRITES: "16" }),
    // `plans` has no limit of requests per minute.
    LIMITS: "plans",
    LOG_LEVEL: "warn",
  },
  onLine: (line) => console.error(line),
})
const service = JSON.parse(child.readyLine) as Service
const client = new HttpClient(service.url)
const rows = createClient(database)
try {
  const key = await makeKey()
  const bursts: Burst[] = []
  let first = 0
  for (const size of [4, ...Array.from({ length: ROUNDS }, () => SIZES).flat()]) {
    step(`${size} new addresses at once`)
    const burst = await measure(key, { first, size })
    // The first burst is a warm-up.
    if (first > 0) bursts.push(burst)
    first += size
  }
  report(bursts)
  if (ADMIN_CALLS > 0) await reportAdminCalls()
} finally {
  client.close()
  await child.stop()
  await database.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

async function startEmbedded() {
  const server = await startLibsqlServer({ file: join(dataDir, "burst.db"), authToken: "burst" })
  return { url: server.url, authToken: "burst", stop: () => server.stop() }
}

async function startSqld() {
  const server = await startChild("sqld", "test/support/sqld/serve.ts", {
    env: { DATA_DIR: join(dataDir, "sqld"), SQLD_ARGS },
    onLine: () => undefined,
  })
  const { url, authToken } = JSON.parse(server.readyLine) as { url: string; authToken: string }
  return { url, authToken, stop: () => server.stop() }
}

async function measure(key: string, { first, size }: { first: number; size: number }): Promise<Burst> {
  const creditsBefore = await creditsSettled()
  const times: number[] = []
  const answers = await Promise.all(
    Array.from({ length: size }, async (_, n) => {
      const startedAt = performance.now()
      const at = first + n
      const path = `/validate?email=burst${at}@d${String(at % DOMAINS).padStart(4, "0")}.test`
      const answer = await client.call({ method: "GET", path, headers: { "x-api-key": key } }).catch(() => null)
      times.push(performance.now() - startedAt)
      return answer
    }),
  )
  const writeMs = await timeOfWrite()
  const open = await openCharges()
  const kinds = Map.groupBy(answers, kindOf)
  const count = (kind: ReturnType<typeof kindOf>) => kinds.get(kind)?.length ?? 0
  const verdicts = count("verdict")
  return {
    size,
    verdicts,
    unknown: count("unknown"),
    unavailable: count("unavailable"),
    other: count("other"),
    p50Ms: percentile(times, 0.5),
    maxMs: Math.max(...times),
    overcharged: (await creditsSettled()) - creditsBefore - verdicts,
    open,
    writeMs,
  }
}

function kindOf(answer: Answer | null): "verdict" | "unknown" | "unavailable" | "other" {
  if (answer?.status === 200) return (JSON.parse(answer.body) as Status).status === "unknown" ? "unknown" : "verdict"
  if (answer?.status === 503 && Number(answer.headers["retry-after"]) >= 1) return "unavailable"
  events.set(answer ? `${answer.status} ${answer.body}` : "no answer", 1)
  return "other"
}

interface Status {
  readonly status: string
}

async function numberOf(sql: string): Promise<number> {
  const { rows: found } = await rows.execute(sql)
  return Number(found[0]?.[0] ?? 0)
}

function creditsSettled(): Promise<number> {
  return numberOf("SELECT coalesce(sum(settled), 0) FROM ledger WHERE state = 'settled'")
}

/** Waits until no charge is open. @returns the number that remain open */
async function openCharges(): Promise<number> {
  const until = performance.now() + REST_WITHIN_MS
  for (;;) {
    const open = await numberOf("SELECT count(*) FROM ledger WHERE state IN ('reserving', 'call', 'lease')").catch(
      () => -1,
    )
    if (open === 0 || performance.now() > until) return open
    await sleep(500)
  }
}

async function timeOfWrite(): Promise<number | null> {
  const startedAt = performance.now()
  const write = rows.execute("INSERT OR REPLACE INTO audit_trail SELECT * FROM audit_trail WHERE seq = 1").then(
    () => performance.now() - startedAt,
    () => null,
  )
  return Promise.race([write, sleep(WRITE_WITHIN_MS, null)])
}

function report(bursts: readonly Burst[]): void {
  console.log(`${ON_SQLD ? `sqld ${SQLD_ARGS}` : "the server of npm start"}`)
  const headings = [
    "new",
    "verdict %",
    "unknown",
    "503",
    "other",
    "p50 ms",
    "max ms",
    "overcharged",
    "open",
    "write ms",
  ]
  console.log(headings.map((one) => one.padStart(12)).join(""))
  for (const { size, ...burst } of bursts.toSorted((a, b) => a.size - b.size)) {
    const cells = [
      size,
      ((100 * burst.verdicts) / size).toFixed(1),
      burst.unknown,
      burst.unavailable,
      burst.other,
      burst.p50Ms.toFixed(0),
      burst.maxMs.toFixed(0),
      burst.overcharged,
      burst.open,
      burst.writeMs?.toFixed(0) ?? "none",
    ]
    console.log(cells.map((cell) => String(cell).padStart(12)).join(""))
  }
  for (const event of events.keys()) console.log(`other answer: ${event}`)
}

async function reportAdminCalls(): Promise<void> {
  step(`${ADMIN_CALLS} admin calls at once`)
  const before = await numberOf("SELECT count(*) FROM audit_trail")
  const startedAt = performance.now()
  const answers = await Promise.all(
    Array.from({ length: ADMIN_CALLS }, () =>
      client
        .call({ method: "GET", path: "/admin/lists/overrides", headers: { "x-admin-secret": service.adminSecret } })
        .catch(() => null),
    ),
  )
  const seconds = (performance.now() - startedAt) / 1_000
  const statuses = Map.groupBy(answers, (answer) => answer?.status ?? 0)
  const counts = [...statuses].map(([status, list]) => `${status}: ${list.length}`).join(", ")
  const added = (await numberOf("SELECT count(*) FROM audit_trail")) - before
  console.log(`${ADMIN_CALLS} admin calls at once: ${counts} in ${seconds.toFixed(1)} s; rows in the trail: ${added}`)
}

async function makeKey(): Promise<string> {
  const { body } = await client.call({
    method: "POST",
    path: "/keys",
    headers: { "content-type": "application/json", "x-admin-secret": service.adminSecret },
    body: { name: "burst", owner_email: "burst@mailbox.test", tier: "enterprise" },
  })
  return (JSON.parse(body) as { api_key: string }).api_key
}
