import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { ChunkMessage } from "../../schema/wire/queue.ts"
import { createErasureStore } from "../../src/adapters/store/compliance/erasure.ts"
import type { Database } from "../../src/adapters/store/database.ts"
import { parseAddress, type ValidAddress } from "../../src/domain/address/parse.ts"
import { addressTerms } from "../../src/domain/compliance/data-subject.ts"
import { cancelJob, finishJob, removeIncompleteLists, sweepJobs } from "../../src/services/lists/end-job.ts"
import { enqueueLeftovers } from "../../src/services/lists/internal-jobs.ts"
import { receiveJob } from "../../src/services/lists/receive-job.ts"
import { runChunk } from "../../src/services/lists/run-chunk.ts"
import { dispatchChunks } from "../../src/services/lists/start-job.ts"
import { type BulkBench, bulkDeps, RETRY_DELAY_MS } from "../support/deps/bulk-deps.ts"
import { startJobOf } from "../support/deps/start-job.ts"
import { startDatabase } from "../support/stack/database.ts"
import { failAtRoundTrip } from "../support/stack/failing-store.ts"

const LEASE_MS = 3_000
const ZONE = Object.fromEntries(
  Array.from({ length: 20 }, (_, n) => [`d${n}.test`, { MX: [{ host: "mx.test", preference: 10 }] }]),
)

let database: Awaited<ReturnType<typeof startDatabase>>
let rows: Database
let account = 0
beforeAll(async () => {
  database = await startDatabase()
  rows = database.open()
})
afterAll(() => database.stop())

const bench = () => bulkDeps(database.open, { zone: ZONE, leaseMs: LEASE_MS })
const list = (count: number, name = "user") =>
  Array.from({ length: count }, (_, n) => `${n % 4 ? name : "nobody"}${account}x${n}@d${n % 20}.test`)

const startJob = (own: BulkBench, emails: readonly string[]) =>
  startJobOf(own, { accountId: `acc_${++account}`, emails })

/** Runs what is due, and lets the pause before a retry pass, until every job has ended. */
async function drain(
  { ctx, sent, pass }: BulkBench,
  deliver: (messages: ChunkMessage[]) => ChunkMessage[] = (all) => all,
) {
  for (let round = 0; round < 200; round++) {
    await dispatchChunks(ctx)
    const messages = deliver(sent.splice(0))
    await Promise.all(messages.map((message) => runChunk(ctx, message)))
    const [left] = await rows.all<{ n: number }>(
      sql`SELECT count(*) AS n FROM jobs WHERE status IN ('queued', 'running')`,
    )
    if (left?.n === 0) return
    pass(RETRY_DELAY_MS)
  }
  throw new Error("the jobs do not end")
}

const ITEM = {
  ...{ attempts: 1, status: "unknown" as const, score: 0, canSend: false, cached: false, verifiedAt: 1 },
  ...{ error: null, isAbandoned: false, credits: 1, evidence: {} as never },
}

const PASS = { results: [], nextAt: null, isCounted: true }

const countedFor = async (accountId: string | null | undefined) =>
  (
    await rows.all<{ n: number }>(sql`SELECT sum(count) AS n FROM daily_counts WHERE account_id = ${accountId ?? ""}`)
  )[0]?.n

const settledCredits = async (jobId: string) =>
  (await rows.all<{ settled: number }>(sql`SELECT settled FROM ledger WHERE charge_id = ${jobId}`))[0]?.settled

describe("a message may arrive late, repeatedly, or never", () => {
  test("each delivered four times, out of order, changes nothing", async () => {
    const own = await bench()
    const jobId = await startJob(own, list(1_000))
    await drain(own, (messages) => messages.flatMap((one) => [one, one, one, one]).toSorted(() => Math.random() - 0.5))
    const job = await own.ctx.store.jobs.byId(jobId)
    expect(job).toMatchObject({
      status: "complete",
      total: 1_000,
      done: 1_000,
      valid: 750,
      invalid: 250,
      failed: 0,
      credits: 1_000,
    })
    expect(own.probed.length).toBe(1_000)
    expect(await settledCredits(jobId)).toBe(1_000)
    expect(await countedFor(job?.accountId)).toBe(1_000)
  })

  test.each(["request", "answer"] as const)(
    "a job's end whose %s is lost, at any step, counts each result once",
    async (lost) => {
      const own = await bench()
      for (let n = 1, isLost = true; isLost; n++) {
        const jobId = await startJob(own, list(20))
        await dispatchChunks(own.ctx)
        const [message] = own.sent.splice(0)
        const claimed = await own.ctx.store.jobChunks.claim(message!, Date.now() + LEASE_MS)
        await own.ctx.store.jobChunks.write({
          ...{ ...PASS, message: message!, now: Date.now(), eventId: `evt_${jobId}` },
          items: claimed!.items.map(({ idx }) => ({ ...ITEM, idx })),
        })
        const failing = database.open({ fetch: failAtRoundTrip(n, { lost, isBack: false }) })
        const { ctx } = await bulkDeps(() => failing, { zone: ZONE, leaseMs: LEASE_MS })
        isLost = await finishJob(ctx, jobId).then(
          () => false,
          () => true,
        )
        await finishJob(own.ctx, jobId)
        const job = await own.ctx.store.jobs.byId(jobId)
        expect(job?.settledAt).toBeTypeOf("number")
        expect(await countedFor(job?.accountId), `step ${n}`).toBe(20)
      }
    },
  )

  test("a queue that loses every message delays the job and loses no result", async () => {
    const own = await bench()
    const jobId = await startJob(own, list(400))
    await dispatchChunks(own.ctx)
    expect(own.sent.splice(0).length).toBeGreaterThan(1)
    expect(await dispatchChunks(own.ctx)).toBe(0)
    own.pass(LEASE_MS)
    await sweepJobs(own.ctx)
    await drain(own)
    expect(await own.ctx.store.jobs.byId(jobId)).toMatchObject({ status: "complete", done: 400 })
  })

  test("a worker whose lease has expired counts nothing twice", async () => {
    const own = await bench()
    const jobId = await startJob(own, list(150))
    await dispatchChunks(own.ctx)
    const [first] = own.sent.splice(0)
    const slow = await own.ctx.store.jobChunks.claim(first!, own.ctx.clock.now() - 1)
    expect(slow?.items.length).toBe(150)
    await drain(own)
    const items = slow!.items.map(({ idx, attempts }) => ({ ...ITEM, idx, attempts, error: "late" }))
    const late = { ...PASS, message: first!, items, now: Date.now(), eventId: "evt_late" }
    expect(await own.ctx.store.jobChunks.write(late)).toMatchObject({ isEnd: false })
    expect(await own.ctx.store.jobs.byId(jobId)).toMatchObject({ done: 150, unknown: 0, failed: 0, credits: 150 })
  })

  test("results that could not be written, as on a full disk, are not free later", async () => {
    const own = await bench()
    const jobId = await startJob(own, list(40))
    await dispatchChunks(own.ctx)
    await rows.run(sql`CREATE TRIGGER is_full BEFORE UPDATE ON job_items BEGIN SELECT RAISE(ABORT, 'full'); END`)
    for (const message of own.sent.splice(0)) await runChunk(own.ctx, message)
    await rows.run(sql`DROP TRIGGER is_full`)
    expect(await own.ctx.store.jobs.byId(jobId)).toMatchObject({ status: "running", done: 0 })
    await drain(own)
    expect(await own.ctx.store.jobs.byId(jobId)).toMatchObject({ status: "complete", done: 40, cached: 0, credits: 40 })
  })

  test("work refused by the queue is released", async () => {
    const own = await bench()
    const jobId = await startJob(own, list(150))
    const refusing = { ...own.ctx, chunkQueue: { send: () => Promise.reject(new Error("queue is down")) } }
    await dispatchChunks(refusing)
    await drain(own)
    expect(await own.ctx.store.jobs.byId(jobId)).toMatchObject({ status: "complete", done: 150 })
  })
})

describe("a job always ends", () => {
  test("a deferred address is probed three times and becomes a dead letter", async () => {
    const own = await bench()
    const jobId = await startJob(own, list(40, "late"))
    await drain(own)
    const job = await own.ctx.store.jobs.byId(jobId)
    expect(job).toMatchObject({ status: "complete", done: 40, invalid: 10, unknown: 30, failed: 30, credits: 10 })
    const dead = await own.ctx.store.jobs.items(jobId, { afterIdx: -1, limit: 100, onlyFailed: true })
    expect(dead.map(({ error, attempts }) => [error, attempts])).toEqual(
      Array.from({ length: 30 }, () => ["greylisted", 3]),
    )
  })

  test("work that always fails is abandoned, and the job has failed", async () => {
    const own = await bench()
    const jobId = await startJob(own, list(20))
    const { store, config } = own.ctx
    const resultLists = { ...store.resultLists, findMany: () => Promise.reject(new Error("down")) }
    const bulk = { leaseMs: 1, retryDelaysMs: [] }
    const failing = { ...own.ctx, store: { ...store, resultLists }, config: { ...config, bulk } }
    await drain({ ...own, ctx: failing })
    expect(await own.ctx.store.jobs.byId(jobId)).toMatchObject({
      status: "failed",
      done: 20,
      failed: 20,
      abandoned: 20,
      credits: 0,
    })
    expect(await settledCredits(jobId)).toBe(0)
  })

  test("an unfinished end is completed by the sweeper, once", async () => {
    const own = await bench()
    const jobId = await startJob(own, list(10))
    const { store } = own.ctx
    const charges = { ...store.charges, settle: () => Promise.reject(new Error("down")) }
    await drain({ ...own, ctx: { ...own.ctx, store: { ...store, charges } } })
    expect(await own.ctx.store.jobs.byId(jobId)).toMatchObject({ status: "complete", settledAt: null })
    const later = { ...own.ctx, clock: { ...own.ctx.clock, now: () => Date.now() + 60_000 } }
    await Promise.all([sweepJobs(later), sweepJobs(later)])
    expect(await settledCredits(jobId)).toBe(10)
    expect((await own.ctx.store.jobs.byId(jobId))?.settledAt).not.toBeNull()
  })

  test("a canceled job accepts no results", async () => {
    const own = await bench()
    const jobId = await startJob(own, list(300))
    await dispatchChunks(own.ctx)
    const [first, second] = own.sent.splice(0)
    await runChunk(own.ctx, first!)
    const { accountId } = (await own.ctx.store.jobs.byId(jobId))!
    await cancelJob(own.ctx, { jobId, accountId: accountId! })
    await runChunk(own.ctx, second!)
    expect(await own.ctx.store.jobs.byId(jobId)).toMatchObject({ status: "cancelled", done: 150, credits: 150 })
    expect(await settledCredits(jobId)).toBe(150)
  })
})

test("an address erased during a job leaves nothing in its list, and the job ends", async () => {
  const own = await bench()
  const { ctx, sent } = own
  const [email = "", other = ""] = list(2)
  const jobId = await startJob(own, [email, other])
  await dispatchChunks(ctx)
  const [message] = sent.splice(0)
  const claimed = await ctx.store.jobChunks.claim(message!, Date.now() + LEASE_MS)
  expect(claimed?.items.map((item) => item.email)).toEqual(expect.arrayContaining([email]))
  const terms = await addressTerms(ctx.digests, parseAddress(email) as ValidAddress)
  const erase = () => createErasureStore(rows).erase({ by: "address", terms, accountId: null })
  expect(await erase()).toContainEqual({ table: "job_items", removed: 0, blanked: 1 })
  const items = claimed!.items.map(({ idx, email }) => ({
    ...ITEM,
    idx,
    evidence: { said: `<${email}> is here` } as never,
  }))
  const pass = { ...PASS, message: message!, items, now: 1, eventId: "evt_erased" }
  expect(await ctx.store.jobChunks.write(pass)).toMatchObject({ isEnd: true })
  const written = await rows.all(sql`SELECT * FROM job_items WHERE job_id = ${jobId}`)
  expect(JSON.stringify(written)).not.toContain(email)
  expect(JSON.stringify(written)).toContain(other)
  expect((await ctx.store.jobs.byId(jobId))?.done).toBe(2)
})

test("deferred work of all anonymous callers shares one queue key, for any number of networks", async () => {
  const own = await bench()
  for (let n = 0; n < 30; n++) await enqueueLeftovers(own.ctx, { emails: [`left${n}@d1.test`], accountId: null })
  own.sent.splice(0)
  await rows.run(sql`UPDATE job_chunks SET state = 'waiting', due_at = 0 WHERE state = 'leased'`)
  const jobId = await startJob(own, list(9_000))
  await dispatchChunks(own.ctx)
  expect(own.sent).toHaveLength(24)
  expect(own.sent.filter((message) => message.jobId === jobId)).toHaveLength(12)
  await rows.run(sql`UPDATE jobs SET status = 'cancelled' WHERE status IN ('queued', 'running')`)
})

describe("an incoming list", () => {
  test("loses all duplicates, at any distance", async () => {
    const own = await bench()
    const emails = list(6_000)
    const jobId = await startJob(own, [...emails, ...emails.map((email) => email.toUpperCase())])
    expect(await own.ctx.store.jobs.byId(jobId)).toMatchObject({ submitted: 12_000, total: 6_000 })
    const [chunks] = await rows.all<{ n: number }>(sql`SELECT count(*) AS n FROM job_chunks WHERE job_id = ${jobId}`)
    expect(chunks?.n).toBe(40)
    await cancelJob(own.ctx, { jobId, accountId: `acc_${account}` })
  })

  test("leaves nothing when it is discarded, or cut and swept", async () => {
    const own = await bench()
    const owner = { accountId: "acc_torn", kind: "async" as const, parentId: null }
    const discarded = await receiveJob(own.ctx, owner)
    await discarded.add(list(12_000))
    await discarded.discard()
    const torn = await receiveJob(own.ctx, owner)
    await torn.add(list(5_000))
    await removeIncompleteLists({ ...own.ctx, clock: { ...own.ctx.clock, now: () => Date.now() + 3_600_000 } })
    for (const { jobId } of [discarded, torn]) {
      const [left] = await rows.all<{ n: number }>(sql`SELECT count(*) AS n FROM job_items WHERE job_id = ${jobId}`)
      expect([left?.n, await own.ctx.store.jobs.byId(jobId)]).toEqual([0, null])
    }
    expect(await torn.start({ smtp: true, deduplicate: true, webhookUrl: null, finishWithin: null })).toBe(false)
  })
})
