import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient } from "@libsql/client/web"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { workerdOf } from "../../scripts/bench/process-stats.ts"
import { type Stack, startStack } from "../../scripts/dev/stack.ts"
import { until } from "../support/time/until.ts"
import { anyMoment } from "../support/time/waiting.ts"

/** CHAOS_SEEDS=20 is the long run. */
const SEEDS = Number(process.env.CHAOS_SEEDS ?? 3)
const ADDRESSES = SEEDS > 3 ? 10_000 : 4_000
const VICTIMS = ["workerd", "database", "probe-node"] as const
/** How the job ends: by itself, by its `finish_within`, or canceled at the moment of the kill. */
const ENDS = ["complete", "finish_within", "cancel"] as const
/** Its server never answers, so the job does not end by itself. */
const HANGING = "alice@hang.test"

interface Job {
  readonly status: string
  readonly progress: number
  readonly total: number
  readonly failed: number
  readonly pending: number
  readonly cancelled_at: string | null
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

async function query(text: string, args: string[]) {
  const client = createClient({ url: stack!.databaseUrl, authToken: stack!.secrets.libsqlToken })
  const { rows } = await client.execute({ sql: text, args })
  client.close()
  return rows
}
const count = async (text: string, args: string[]) => Number((await query(text, args))[0]?.n)

const jobWhen = (jobId: string, key: string, isDue: (job: Job) => boolean): Promise<Job> =>
  until(() => request<Job>(`/jobs/${jobId}?limit=1`, { headers: { "x-api-key": key } }), isDue, {
    withinMs: 60_000,
    everyMs: 200,
  })

const pidOf = (victim: (typeof VICTIMS)[number]) =>
  victim === "workerd" ? workerdOf(process.pid) : stack!.children.find(({ name }) => name === victim)!.pid

async function kill(victim: (typeof VICTIMS)[number]): Promise<void> {
  const pid = pidOf(victim)
  process.kill(pid, "SIGKILL")
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false)
}

describe("after a SIGKILL in the middle of a job the restarted service finishes it", () => {
  const cases = Array.from({ length: SEEDS }, (_, seed) => ({
    seed,
    victim: VICTIMS[seed % VICTIMS.length]!,
    end: ENDS[(seed + Math.floor(seed / VICTIMS.length)) % ENDS.length]!,
  }))
  test.each(cases)("seed $seed: SIGKILL of $victim, end by $end", async ({ seed, victim, end }) => {
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
    if (end !== "complete") emails[ADDRESSES - 1] = HANGING
    const options = end === "finish_within" ? { finish_within: 10 } : {}
    const submit = (body: object) =>
      request<{ job_id: string }>("/validate/bulk/async", {
        method: "POST",
        headers: { ...json, "x-api-key": key },
        body: JSON.stringify({ webhook_url: "https://hooks.example.com/done", ...body }),
      })
    const { job_id } = await submit({ emails, ...options })
    const cancel = () => fetch(`${stack!.url}/jobs/${job_id}`, { method: "DELETE", headers: { "x-api-key": key } })
    const moment = Math.floor(chance(seed) * ADDRESSES * 0.8)
    await jobWhen(job_id, key, ({ progress, status }) => progress >= moment || status === "complete")
    await anyMoment(chance(seed + 1_000), 400)
    // The kill meets the cancellation at any of its steps.
    const canceling = end === "cancel" ? cancel().catch(() => null) : null
    if (canceling) await anyMoment(chance(seed + 2_000), 20)
    await kill(victim)
    await canceling
    await stack.stop()
    stack = await start()
    if (end === "cancel") expect([200, 409]).toContain((await cancel()).status)

    await jobWhen(job_id, key, ({ status }) => status !== "queued" && status !== "running")
    const job = await request<Job>(`/jobs/${job_id}`, { headers: { "x-api-key": key } })
    const results = job.results!.map(({ checks }) => checks.email)
    const isCanceled = end === "cancel"
    expect(job).toMatchObject({ status: isCanceled ? "failed" : "complete", total: ADDRESSES, pending: 0 })
    expect(job.cancelled_at !== null).toBe(isCanceled)
    expect(results).toHaveLength(job.progress)
    const finished = new Set(results)
    expect(results).toEqual(isCanceled ? emails.filter((email) => finished.has(email)) : emails)
    const known = job.results!.filter(({ checks }) => checks.status !== "unknown").length
    expect(known + job.failed).toBe(job.progress)
    if (end === "finish_within") expect(job.failed).toBeGreaterThan(0)

    const credits = await count("SELECT credits AS n FROM jobs WHERE job_id = ?", [job_id])
    const cached = await count("SELECT cached AS n FROM jobs WHERE job_id = ?", [job_id])
    expect(credits + cached + job.failed).toBe(job.progress)
    await expect.poll(() => count("SELECT settled AS n FROM ledger WHERE charge_id = ?", [job_id])).toBe(credits)
    const account = "SELECT account_id FROM jobs WHERE job_id = ?"
    expect(await count(`SELECT used AS n FROM usage WHERE subject = (${account})`, [job_id])).toBe(credits)
    const events = (type: string) =>
      count(`SELECT count(*) AS n FROM outbound_events WHERE type ${type} AND account_id = (${account})`, [job_id])
    await expect.poll(() => events("<> 'job.partial'")).toBe(1)
    expect(await events("= 'job.partial'")).toBeLessThanOrEqual(1)
    // Nothing is left to do, also when all leases end: a later job is complete, and this one is unchanged.
    await query("UPDATE job_chunks SET due_at = 0 WHERE job_id = ?", [job_id])
    const later = await submit({ emails: ["user1@d0600.test"] })
    await jobWhen(later.job_id, key, ({ status }) => status === "complete")
    expect(await request<Job>(`/jobs/${job_id}`, { headers: { "x-api-key": key } })).toEqual(job)
    expect(await count("SELECT settled AS n FROM ledger WHERE charge_id = ?", [job_id])).toBe(credits)
  })
})
