import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient } from "@libsql/client/web"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Stack, startStack } from "../../scripts/dev/stack.ts"
import type { SandboxLog } from "../../scripts/sandbox/server-state.ts"
import type { JobAnswer } from "../support/stack/jobs.ts"
import { until } from "../support/time/until.ts"

/** A retry that the test does not start itself never comes. */
const RETRY_SECONDS = 3_600
const HANGING = "alice@hang.test"
/** With the slow ones, eight chunks: a batch of the local queue, so that none waits for the hanging address. */
const KNOWN = 1_149

let dataDir: string
let stack: Stack
let key: string
const events: { readonly type: string; readonly data: Record<string, unknown> }[] = []
const receiver = createServer((request, response) => {
  let body = ""
  request.on("data", (piece) => {
    body += piece
  })
  request.on("end", () => {
    events.push(JSON.parse(body))
    response.end()
  })
})
let hook: string

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "mailverdict-partial-"))
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`
  hook = `http://${host}/hook`
  const settings = {
    CRON_MINUTE_MS: "500",
    ...{ BULK_RETRY_SECONDS: `${RETRY_SECONDS},${RETRY_SECONDS},${RETRY_SECONDS}` },
    ...{ WEBHOOK_ALLOW_HTTP: "1", WEBHOOK_ALLOW_HOSTS: host },
  }
  const quiet = { onLog: () => undefined, onStep: () => undefined }
  stack = await startStack({ port: 0, dataDir, sandbox: true, build: false, settings, ...quiet })
  const made = await request<{ api_key: string }>("/keys", {
    method: "POST",
    headers: { "content-type": "application/json", "x-admin-secret": stack.secrets.adminSecret },
    body: JSON.stringify({ name: "partial", owner_email: "partial@example.org", tier: "enterprise" }),
  })
  key = made.api_key
})
afterAll(async () => {
  await stack?.stop()
  receiver.close()
  rmSync(dataDir, { recursive: true, force: true })
})

async function request<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(`${stack.url}${path}`, init)
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

/** Holds the slow hosts closed, or lets them answer. */
const sandbox = (what: "hold" | "release") =>
  fetch(new URL(`/sandbox/${what}`, stack.sandbox!.dohUrl), { method: "POST" })
const get = <T>(path: string) => request<T>(path, { headers: { "x-api-key": key } })
const submit = (body: object) =>
  request<JobAnswer>("/validate/bulk/async", {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify(body),
  })

const untilJob = (jobId: string, isDue: (job: JobAnswer) => boolean): Promise<JobAnswer> =>
  until(() => get<JobAnswer>(`/bulk/status/${jobId}`), isDue)

/** Recipients that the greylisting host has refused. */
async function refusals(): Promise<number> {
  const log = (await (await fetch(new URL("/sandbox/log", stack.sandbox!.dohUrl))).json()) as SandboxLog
  return log.connections.flatMap(({ replies }) => replies).filter((reply) => /^451 .*<alice\+/.test(reply)).length
}

async function startRetries(): Promise<void> {
  const client = createClient({ url: stack.databaseUrl, authToken: stack.secrets.libsqlToken })
  await client.execute("UPDATE job_chunks SET due_at = 0 WHERE state = 'waiting'")
  client.close()
}

async function pagesOf(jobId: string): Promise<string[]> {
  const found: string[] = []
  for (let cursor = ""; ; ) {
    const page = await get<JobAnswer & { next_cursor: string | null }>(`/jobs/${jobId}?limit=1000${cursor}`)
    found.push(...page.results!.map(({ checks }) => `${checks.email} ${checks.status}`))
    if (page.next_cursor === null) return found
    cursor = `&cursor=${page.next_cursor}`
  }
}

async function download(jobId: string) {
  const response = await fetch(`${stack.url}/bulk/download/${jobId}`, { headers: { "x-api-key": key } })
  const lines = (await response.text()).trimEnd().split("\r\n").slice(1)
  const marks = ["partial", "pending"].map((name) => response.headers.get(`x-mailverdict-${name}`))
  return { marks, cells: lines.map((line) => line.split(",").slice(0, 2).join(" ")) }
}

test("all other results of a list are readable while its slow hosts are held closed", async () => {
  const known = Array.from(
    { length: KNOWN },
    // Missing mailboxes are not in the chunk of the slow hosts: a second opinion waits for the first round of its chunk.
    (_, n) => `${n % 5 || n % 500 >= 400 ? "user" : "no-"}${n}@d${String(n % 500).padStart(4, "0")}.test`,
  )
  const slow = [...Array.from({ length: 50 }, (_, n) => `alice+${n}@greylist.test`), HANGING]
  const emails = known.flatMap((email, n) => (n % 20 === 0 && slow[n / 20] ? [slow[n / 20]!, email] : [email]))
  expect(emails).toHaveLength(1_200)
  const verdict = (email: string) => `${email} ${email.startsWith("no-") ? "invalid" : "valid"}`
  await sandbox("hold")
  const { job_id } = await submit({ emails, webhook_url: hook })

  const partial = await untilJob(job_id, ({ progress }) => progress >= KNOWN)
  expect(partial).toMatchObject({ status: "running", progress: KNOWN, partial: true, pending: 51, failed: 0 })
  expect(partial.estimated_seconds).toBeGreaterThan(0)
  expect(await get(`/jobs/${job_id}`)).toMatchObject({ partial: true, pending: 51, results: null })
  expect(await pagesOf(job_id)).toEqual(known.map(verdict))
  expect(await get(`/bulk/${job_id}/report`)).toMatchObject({
    partial: true,
    pending: 51,
    analyzed: KNOWN,
    total: 1_200,
  })
  const held = await download(job_id)
  expect(held.marks).toEqual(["true", "51"])
  expect(held.cells).toEqual(emails.map((email) => (slow.includes(email) ? `${email} pending` : verdict(email))))
  expect(await get(`/bulk/status/${job_id}`)).toMatchObject({ status: "running", progress: KNOWN, pending: 51 })

  // The slow hosts have answered, or not answered, the first round.
  await expect.poll(refusals).toBe(50)
  await sandbox("release")
  await expect.poll(() => events.map(({ type }) => type)).toEqual(["job.partial"])
  expect(events[0]!.data).toMatchObject({ job_id, status: "running", total: 1_200, partial: true })
  expect(events[0]!.data).toMatchObject({ next_attempt_at: expect.any(String) })
  await startRetries()
  const job = await untilJob(job_id, ({ status }) => status === "complete")
  expect(job).toMatchObject({ partial: false, pending: 0, next_attempt_at: null, estimated_seconds: null })
  expect(job).toMatchObject({ progress: 1_200, failed: 0, summary: { unknown: 0 } })
  const ended = await download(job_id)
  expect(ended.marks).toEqual(["false", "0"])
  expect(ended.cells.filter((row) => row.startsWith("alice+"))).toEqual(
    slow.slice(0, 50).map((email) => `${email} valid`),
  )
  const { credits_used } = await get<{ credits_used: number }>("/usage")
  expect(credits_used).toBe(1_200)
  await expect.poll(() => events.map(({ type }) => type)).toEqual(["job.partial", "job.completed"])
})
