import { readFileSync, writeFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { createKey, startBenchStack, temporaryFolder } from "./bench-run.ts"
import type { Invocation } from "./invocation.ts"
import { cpuMsOf, statsOf, workerdOf } from "./process-stats.ts"

/**
 * Runs typical calls and compares each invocation with the limits of Cloudflare's paid plan. `--write` replaces the table
 * in docs/scale.md.
 */
const PAGE = fileURLToPath(new URL("../../docs/scale.md", import.meta.url))
const [BEGIN, END] = ["<!-- bench:limits begin -->", "<!-- bench:limits end -->"]
/** Workers paid plan, November 2026: subrequests and CPU of an invocation, memory of an isolate. */
const LIMITS = { subrequests: 10_000, cpuMs: 30_000, memoryMb: 128 }
const CHUNK = 150
const UPLOAD_ROWS = 5_000
const REPEATS = Number(process.env.BENCH_ROUNDS ?? 20)

interface Row {
  readonly name: string
  readonly kind: Invocation["kind"]
  readonly repeats: number
  run(at: number): Promise<unknown>
}

using dataDir = temporaryFolder()
const stack = await startBenchStack({
  dataDir: dataDir.path,
  workerEntry: "scripts/bench/limits-worker.ts",
  // The crons run when the bench calls them.
  settings: { CRON_MINUTE_MS: "3600000", LIMITS: "plans", LOG_LEVEL: "warn" },
})
try {
  const workerd = workerdOf(process.pid)
  const lines: string[] = []
  const key = await createKey({ url: stack.url, adminSecret: stack.secrets.adminSecret })
  for (const row of rowsOf(key)) lines.push(await measure(row, workerd))
  const table = [
    "| Invocation | Subrequests, most | CPU ms, mean |",
    "|---|---|---|",
    ...lines,
    `| **limit** | ${LIMITS.subrequests.toLocaleString("en")} | ${LIMITS.cpuMs.toLocaleString("en")} |`,
    "",
    `workerd had ${statsOf(workerd).rssMb.toFixed(0)} MB at the end, with its KV, queues and Durable Objects. Cloudflare runs those elsewhere and`,
    `allows an isolate ${LIMITS.memoryMb} MB.`,
  ].join("\n")
  console.log(table)
  if (process.argv.includes("--write")) writeTable(table)
} finally {
  await stack.stop()
}

function rowsOf(key: string): Row[] {
  const get = (path: string) => call(path, { headers: { "x-api-key": key } })
  const post = (path: string, body: string, type = "application/json") =>
    call(path, { method: "POST", headers: { "x-api-key": key, "content-type": type }, body })
  const addresses = (count: number, name: string) =>
    Array.from({ length: count }, (_, n) => `${name}${n}@d${String(n % 50).padStart(4, "0")}.test`)
  const fetched = { kind: "fetch", repeats: REPEATS } as const
  const cron = (name: string, pattern: string): Row => ({
    name,
    kind: "scheduled",
    repeats: 1,
    run: () => get(`/bench/cron?cron=${encodeURIComponent(pattern)}`),
  })
  return [
    { ...fetched, name: "`/validate`, new domain", run: (at) => get(`/validate?email=a@d${1_000 + at}.test`) },
    { ...fetched, name: "`/validate`, new address", run: (at) => get(`/validate?email=b${at}@d1000.test`) },
    { ...fetched, name: "`/validate`, stored result", run: () => get("/validate?email=b0@d1000.test") },
    {
      ...fetched,
      name: "`/validate/fast`, hit",
      repeats: REPEATS * 10,
      run: () => get("/validate/fast?email=b0@d1000.test"),
    },
    {
      name: `turbo, ${CHUNK} new addresses`,
      kind: "fetch",
      repeats: 3,
      run: (at) => post("/validate/bulk/turbo", JSON.stringify({ emails: addresses(CHUNK, `turbo${at}-`) })),
    },
    {
      name: `upload of a CSV with ${UPLOAD_ROWS.toLocaleString("en")} rows`,
      kind: "fetch",
      repeats: 1,
      run: () => post("/bulk/upload", ["email", ...addresses(UPLOAD_ROWS, "csv")].join("\n"), "text/csv"),
    },
    {
      name: `a job's batch of chunks, ${CHUNK} new addresses each`,
      kind: "queue",
      repeats: 1,
      async run() {
        const body = JSON.stringify({ emails: addresses(CHUNK * 4, "job") })
        const { job_id } = (await post("/validate/bulk/async", body)) as { job_id: string }
        for (let status = ""; status !== "completed" && status !== "complete"; await sleep(200))
          status = ((await get(`/jobs/${job_id}?limit=1`)) as { status: string }).status
      },
    },
    cron("the cron of a minute, with its repetitions", "* * * * *"),
    cron("the cron of a night", "17 3 * * *"),
  ]
}

/** @returns one row of the table */
async function measure({ name, kind, repeats, run }: Row, workerd: number): Promise<string> {
  await recordedInvocations()
  const before = cpuMsOf(workerd)
  for (let at = 0; at < repeats; at++) await run(at)
  // Work after the answers belongs to the invocation.
  await sleep(1_000)
  const cpuMs = cpuMsOf(workerd) - before
  const own = (await recordedInvocations()).filter((one) => one.kind === kind)
  const most = Math.max(...own.map(({ subrequests }) => subrequests))
  return `| ${name} | ${most} | ${(cpuMs / own.length).toFixed(1)} |`
}

/** The invocations since the last call. */
async function recordedInvocations(): Promise<Invocation[]> {
  return (await call("/bench/invocations")) as Invocation[]
}

/** @throws Error for any other answer than a success */
async function call(path: string, init: RequestInit = {}): Promise<unknown> {
  const response = await fetch(stack.url + path, init)
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 300)}`)
  return text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text
}

function writeTable(table: string): void {
  const page = readFileSync(PAGE, "utf8")
  const [from, to] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)]
  if (to < from) throw new Error(`${PAGE} has no place for the table: ${BEGIN} … ${END}`)
  writeFileSync(PAGE, `${page.slice(0, from)}\n${table}\n${page.slice(to)}`)
}
