import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { createClient } from "@libsql/client/web"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { workerdOf } from "../../scripts/bench/process-stats.ts"
import { type Stack, startStack } from "../../scripts/dev/stack.ts"

/** CHAOS_SEEDS=20 is the long run. */
const SEEDS = Number(process.env.CHAOS_SEEDS ?? 3)
const ADDRESSES = SEEDS > 3 ? 10_000 : 4_000
const VICTIMS = ["workerd", "database", "probe-node"] as const

interface Job {
  readonly status: string
  readonly progress: number
  readonly total: number
  readonly failed: number
  readonly results: { readonly checks: { readonly email: string; readonly status: string } }[] | null
}

let dataDir: string
let stack: Stack | null = null

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "mailverdict-kill-"))
})
afterEach(async () => {
  await stack?.stop()
  stack = null
  rmSync(dataDir, { recursive: true, force: true })
})

function start(): Promise<Stack> {
  const settings = {
    BULK_LEASE_SECONDS: "5",
    BULK_RETRY_SECONDS: "1,1,1",
    CRON_MINUTE_MS: "500",
    SANDBOX_LATENCY_MS: "5",
  }
  const quiet = { onLog: () => undefined, onStep: () => undefined }
  return startStack({ port: 0, dataDir, sandbox: true, build: false, settings, ...quiet })
}

/** A number in [0, 1) from a seed (mulberry32). */
function chance(seed: number): number {
  let t = (seed + 0x6d2b79f5) | 0
  t = Math.imul(t ^ (t >>> 15), t | 1)
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}

async function request<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(`${stack!.url}${path}`, init)
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

async function count(text: string, args: string[]): Promise<number> {
  const client = createClient({ url: stack!.databaseUrl, authToken: stack!.secrets.libsqlToken })
  const { rows } = await client.execute({ sql: text, args })
  client.close()
  return Number(rows[0]?.n)
}

async function poll(jobId: string, key: string, until: (job: Job) => boolean): Promise<Job> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const job = await request<Job>(`/jobs/${jobId}?limit=1`, { headers: { "x-api-key": key } })
    if (until(job)) return job
    await sleep(200)
  }
  throw new Error("the job makes no progress")
}

const killOf = (victim: (typeof VICTIMS)[number]) =>
  victim === "workerd" ? workerdOf(process.pid) : stack!.children.find(({ name }) => name === victim)!.pid

describe("after a SIGKILL in the middle of a job the restarted service finishes it", () => {
  const cases = Array.from({ length: SEEDS }, (_, seed) => ({ seed, victim: VICTIMS[seed % VICTIMS.length]! }))
  test.each(cases)("seed $seed: SIGKILL of $victim", { timeout: 150_000 }, async ({ seed, victim }) => {
    stack = await start()
    const json = { "content-type": "application/json" }
    const { api_key: key } = await request<{ api_key: string }>("/keys", {
      method: "POST",
      headers: { ...json, "x-admin-secret": stack.secrets.adminSecret },
      body: JSON.stringify({ name: "kill", owner_email: "kill@example.org", tier: "enterprise" }),
    })
    const emails = Array.from(
      { length: ADDRESSES },
      (_, n) => `${n % 3 ? "user" : "no-"}${n}@d${String(n % 500).padStart(4, "0")}.test`,
    )
    const { job_id } = await request<{ job_id: string }>("/validate/bulk/async", {
      method: "POST",
      headers: { ...json, "x-api-key": key },
      body: JSON.stringify({ emails, webhook_url: "https://hooks.example.com/done" }),
    })
    const moment = Math.floor(chance(seed) * ADDRESSES * 0.8)
    await poll(job_id, key, ({ progress }) => progress >= moment)
    await sleep(chance(seed + 1_000) * 400)
    process.kill(killOf(victim), "SIGKILL")
    await sleep(200)
    await stack.stop()
    stack = await start()

    await poll(job_id, key, ({ status }) => status !== "queued" && status !== "running")
    const job = await request<Job>(`/jobs/${job_id}`, { headers: { "x-api-key": key } })
    expect(job).toMatchObject({ status: "complete", progress: ADDRESSES, total: ADDRESSES })
    expect(job.results!.map(({ checks }) => checks.email)).toEqual(emails)
    const known = job.results!.filter(({ checks }) => checks.status !== "unknown").length
    expect(known + job.failed).toBe(ADDRESSES)

    const credits = await count("SELECT credits AS n FROM jobs WHERE job_id = ?", [job_id])
    const cached = await count("SELECT cached AS n FROM jobs WHERE job_id = ?", [job_id])
    expect(credits + cached + job.failed).toBe(ADDRESSES)
    await expect
      .poll(() => count("SELECT settled AS n FROM ledger WHERE charge_id = ?", [job_id]), { timeout: 60_000 })
      .toBe(credits)
    const account = "SELECT account_id FROM jobs WHERE job_id = ?"
    expect(await count(`SELECT used AS n FROM usage WHERE subject = (${account})`, [job_id])).toBe(credits)
    await expect
      .poll(() => count(`SELECT count(*) AS n FROM outbound_events WHERE account_id = (${account})`, [job_id]))
      .toBe(1)
  })
})
