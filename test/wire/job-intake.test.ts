import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Database } from "../../src/adapters/store/database.ts"
import { createJobIntake, type JobIntake } from "../../src/adapters/store/lists/job-intake.ts"
import { removeIncompleteLists } from "../../src/services/lists/end-job.ts"
import { receiveJob } from "../../src/services/lists/receive-job.ts"
import { bulkDeps } from "../support/deps/bulk-deps.ts"
import { startDatabase } from "../support/stack/database.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
let rows: Database
beforeAll(async () => {
  server = await startDatabase()
  rows = server.open()
})
afterAll(() => server.stop())

/** More than one statement copies. */
const ITEMS = 25_000

/** A job with every other item failed. */
async function failedJob(jobId: string): Promise<void> {
  await rows.run(sql`INSERT INTO jobs (job_id, lane, kind, status, smtp, deduplicate, created_at)
    VALUES (${jobId}, 'l', 'async', 'complete', 1, 1, 1)`)
  await rows.run(sql`WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < ${ITEMS - 1})
    INSERT INTO job_items (job_id, idx, email, domain, mailbox, is_duplicate, status, error)
    SELECT ${jobId}, n, 'user' || n || '@d.test', 'd.test', 'user' || n || '@d.test', 0, 'unknown',
      CASE n % 2 WHEN 1 THEN 'greylisted' END FROM c`)
}

async function openChild(parentId: string): Promise<string> {
  const jobId = `job_${crypto.randomUUID()}`
  await createJobIntake(rows).open({ jobId, accountId: "acc", kind: "retry", parentId, createdAt: 1 })
  return jobId
}

test("a retry copies each failed item once with new positions, and releases them when it is discarded", async () => {
  const intake = createJobIntake(rows)
  await failedJob("job_parent")
  const copyFailed = async (jobId: string, unfinished = false) =>
    intake.copyFailed(jobId, { parentId: "job_parent", unfinished })
  const child = await openChild("job_parent")
  expect(await copyFailed(child)).toBe(ITEMS / 2)
  const misplaced = await rows.all(sql`SELECT idx FROM job_items
    WHERE job_id = ${child} AND email <> 'user' || (idx * 2 + 1) || '@d.test'`)
  expect(misplaced).toEqual([])
  const [places] = await rows.all(sql`SELECT count(*) AS n, min(idx) AS first, max(idx) AS last FROM job_items
    WHERE job_id = ${child}`)
  expect(places).toEqual({ n: ITEMS / 2, first: 0, last: ITEMS / 2 - 1 })
  expect(await copyFailed(await openChild("job_parent"))).toBe(0)

  await intake.drop(child)
  expect(await rows.all(sql`SELECT 1 FROM job_items WHERE job_id = ${child} OR retried_in IS NOT NULL`)).toEqual([])
  const [one, other] = await Promise.all([openChild("job_parent"), openChild("job_parent")])
  const copied = await Promise.all([copyFailed(one), copyFailed(other, true)])
  expect(copied[0]! + copied[1]!).toBe(ITEMS / 2)
})

test("a list that takes half an hour to arrive is discarded as a whole, even at its end", async () => {
  const { ctx } = await bulkDeps(server.open, { zone: {}, leaseMs: 1_000 })
  const receiving = await receiveJob(ctx, { accountId: "acc_slow", kind: "async", parentId: null })
  const emails = Array.from({ length: 5_000 }, (_, n) => `slow${n}@d.test`)
  await receiving.add(emails)
  const endsNow: Partial<JobIntake> = {
    async drop(jobId) {
      expect(await receiving.start({ smtp: true, deduplicate: true, webhookUrl: null, finishWithin: null })).toBe(false)
      await ctx.store.jobIntake.drop(jobId)
      await receiving.add(emails)
    },
  }
  const clock = { ...ctx.clock, now: () => Date.now() + 31 * 60_000 }
  await removeIncompleteLists({
    ...ctx,
    clock,
    store: { ...ctx.store, jobIntake: { ...ctx.store.jobIntake, ...endsNow } },
  })
  const left = await rows.all(sql`SELECT job_id FROM jobs WHERE account_id = 'acc_slow'
    UNION ALL SELECT job_id FROM job_items WHERE job_id = ${receiving.jobId}`)
  expect(left).toEqual([])
})
