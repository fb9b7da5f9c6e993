import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { dispatchChunks } from "../../src/services/lists/start-job.ts"
import { bulkDeps } from "../support/deps/bulk-deps.ts"
import { startDatabase } from "../support/stack/database.ts"

let database: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

const AT_ONCE = 10_000

/** Open jobs of an account, with a ready chunk for each of the first thousand. */
async function open(lane: string, { count, createdAt }: { count: number; createdAt: number }) {
  const rows = database.open()
  const jobs = (from: number, to: number) => sql`(WITH RECURSIVE c(n) AS
    (SELECT ${from} UNION ALL SELECT n + 1 FROM c WHERE n < ${to}) SELECT printf('job_%s_%020d', ${lane}, n) AS id FROM c)`
  for (let from = 1; from <= count; from += AT_ONCE)
    await rows.run(sql`INSERT INTO jobs (job_id, account_id, lane, kind, status, smtp, deduplicate, total, created_at)
      SELECT id, ${lane}, ${lane}, 'async', 'queued', 1, 1, 1, ${createdAt}
      FROM ${jobs(from, Math.min(from + AT_ONCE - 1, count))}`)
  await rows.run(sql`INSERT INTO job_chunks (job_id, chunk, after_domain, after_idx, last_domain, last_idx, state, due_at)
    SELECT id, 0, '', -1, 'z', 0, 'waiting', ${createdAt} FROM ${jobs(1, Math.min(1_000, count))}`)
}

test("with any number of open jobs, chunks are dispatched, and a new account's chunk is among them", async () => {
  await open("crowd", { count: 70_000, createdAt: 1 })
  await open("newcomer", { count: 1, createdAt: 2 })
  const { ctx, sent } = await bulkDeps(database.open, { zone: {}, leaseMs: 60_000 })
  expect(await dispatchChunks(ctx)).toBe(19)
  expect(sent.filter(({ jobId }) => jobId.includes("newcomer"))).toHaveLength(1)
  // Chunks in flight count. Otherwise each call would dispatch as many again.
  expect(await dispatchChunks(ctx)).toBe(0)
  await open("another", { count: 9, createdAt: 3 })
  expect(await dispatchChunks(ctx)).toBe(5)
})

test("with more accounts than slots, the account that waits longest is first", async () => {
  const before = database.open()
  await before.run(sql`DELETE FROM jobs`)
  for (let n = 0; n < 60; n++) await open(`later-${n}`, { count: 1, createdAt: 2 })
  await open("waits-longest", { count: 1, createdAt: 1 })
  const { ctx, sent } = await bulkDeps(database.open, { zone: {}, leaseMs: 60_000 })
  expect(await dispatchChunks(ctx)).toBe(24)
  expect(sent[0]?.jobId).toContain("waits-longest")
})
