import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Database } from "../../src/adapters/store/database.ts"
import type { JobOptions } from "../../src/adapters/store/lists/job-intake.ts"
import { sweepJobs } from "../../src/services/lists/end-job.ts"
import { runChunk } from "../../src/services/lists/run-chunk.ts"
import { dispatchChunks } from "../../src/services/lists/start-job.ts"
import { type BulkBench, bulkDeps } from "../support/deps/bulk-deps.ts"
import { startJobOf } from "../support/deps/start-job.ts"
import { startDatabase } from "../support/stack/database.ts"

const LEASE_MS = 3_000
const ZONE = Object.fromEntries(
  Array.from({ length: 20 }, (_, n) => [`d${n}.test`, { MX: [{ host: "mx.test", preference: 10 }] }]),
)
const ITEM = {
  ...{ attempts: 1, status: "unknown" as const, score: 0, canSend: false, cached: false, verifiedAt: 1 },
  ...{ error: null, isAbandoned: false, credits: 1, evidence: {} as never },
}
const PASS = { results: [], nextAt: null, isCounted: true }

let database: Awaited<ReturnType<typeof startDatabase>>
let rows: Database
let account = 0
beforeAll(async () => {
  database = await startDatabase()
  rows = database.open()
})
afterAll(() => database.stop())

const bench = () => bulkDeps(database.open, { zone: ZONE, leaseMs: LEASE_MS })
const list = (count: number) =>
  Array.from({ length: count }, (_, n) => `${n % 4 ? "user" : "nobody"}${account}x${n}@d${n % 20}.test`)
const startJob = (own: BulkBench, emails: readonly string[], options: Partial<JobOptions> = {}) =>
  startJobOf(own, { accountId: `acc_${++account}`, emails, options })
const settledCredits = async (jobId: string) =>
  (await rows.all<{ settled: number }>(sql`SELECT settled FROM ledger WHERE charge_id = ${jobId}`))[0]?.settled

describe("finish_within", () => {
  const later = ({ ctx }: BulkBench, ms: number) => ({
    ...ctx,
    clock: { ...ctx.clock, now: () => ctx.clock.now() + ms },
  })
  const dead = (jobId: string) =>
    rows.all(sql`SELECT DISTINCT status, error FROM job_items WHERE job_id = ${jobId} AND error IS NOT NULL`)

  test("ends a job with its results so far: the rest is unknown and free, and a late result changes nothing", async () => {
    const own = await bench()
    const jobId = await startJob(own, [...list(300), "broken"], { finishWithin: 60 })
    await dispatchChunks(own.ctx)
    const [first, second] = own.sent.splice(0)
    await runChunk(own.ctx, first!)
    const claimed = await own.ctx.store.jobChunks.claim(second!, Date.now() + LEASE_MS)
    await sweepJobs(later(own, 30_000))
    const before = (await own.ctx.store.jobs.byId(jobId))!
    expect(before.status).toBe("running")
    await Promise.all([sweepJobs(later(own, 61_000)), sweepJobs(later(own, 61_000))])
    const job = await own.ctx.store.jobs.byId(jobId)
    expect(job).toMatchObject({ status: "complete", done: 301, credits: before.credits, invalidSyntax: 1 })
    expect(job!.failed).toBe(job!.unknown)
    expect(job!.unknown + before.valid + before.invalid).toBe(300)
    expect(await dead(jobId)).toEqual([{ status: "unknown", error: "finish_within" }])
    expect(await settledCredits(jobId)).toBe(before.credits)
    const items = claimed!.items.map(({ idx }) => ({ ...ITEM, idx, status: "valid" as const }))
    const late = { ...PASS, message: second!, items, now: Date.now(), eventId: "evt_late" }
    expect(await own.ctx.store.jobChunks.write(late)).toMatchObject({ isEnd: false, isStored: false })
    expect(await own.ctx.store.jobChunks.writeFinished(jobId, late)).toBe(false)
    expect(await own.ctx.store.jobs.byId(jobId)).toMatchObject({ done: 301, credits: before.credits })
  })

  test("ends a job that never started, also after a crash in the middle", async () => {
    const own = await bench()
    const jobId = await startJob(own, list(2_500), { finishWithin: 60 })
    const { store } = own.ctx
    let writes = 0
    const writeFinished: typeof store.jobChunks.writeFinished = (...given) => {
      if (++writes === 2) throw new Error("crash")
      return store.jobChunks.writeFinished(...given)
    }
    const ctx = { ...own.ctx, store: { ...store, jobChunks: { ...store.jobChunks, writeFinished } } }
    await expect(sweepJobs(later({ ...own, ctx }, 61_000))).rejects.toThrow("crash")
    expect(await store.jobs.byId(jobId)).toMatchObject({ status: "running", done: 1_000 })
    await sweepJobs(later(own, 61_000))
    expect(await store.jobs.byId(jobId)).toMatchObject({ status: "complete", done: 2_500, failed: 2_500, credits: 0 })
    expect(await settledCredits(jobId)).toBe(0)
  })
})

test("a finished item is written and charged once, in the middle of its pass and at its end", async () => {
  const own = await bench()
  const { jobChunks, jobs } = own.ctx.store
  const jobId = await startJob(own, list(20))
  await dispatchChunks(own.ctx)
  const [message] = own.sent.splice(0)
  const claimed = await jobChunks.claim(message!, Date.now() + LEASE_MS)
  const items = claimed!.items.map(({ idx }) => ({ ...ITEM, idx }))
  for (const _ of ["once", "again"]) {
    await jobChunks.writeFinished(jobId, { items: items.slice(0, 12), results: [] })
    expect(await jobs.byId(jobId)).toMatchObject({ status: "running", done: 12, credits: 12 })
  }
  const schedules = await jobs.schedules([jobId], Date.now())
  expect(schedules.get(jobId)).toEqual({ nextRetryAt: null, lastRetryAt: null, passes: null, isBusy: true })
  const nextAt = Date.now() + 60_000
  const left = items.map((item, n) => (n < 19 ? item : { ...item, status: null, credits: 0 }))
  const pass = { ...PASS, message: message!, items: left, nextAt, now: Date.now(), eventId: "evt_middle" }
  expect(await jobChunks.write(pass)).toMatchObject({ isEnd: false, isFirstPassOver: true })
  expect(await jobChunks.write(pass)).toMatchObject({ isEnd: false, isFirstPassOver: false })
  expect(await jobs.byId(jobId)).toMatchObject({ done: 19, credits: 19 })
  const retrying = await jobs.schedules([jobId], Date.now())
  expect(retrying.get(jobId)).toEqual({ nextRetryAt: nextAt, lastRetryAt: nextAt, passes: 1, isBusy: false })
  await rows.run(sql`UPDATE jobs SET status = 'cancelled' WHERE job_id = ${jobId}`)
})
