import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { dispatchChunks } from "../../src/services/bulk/dispatch-chunks.ts"
import { bulkNeeds } from "../support/bulk-needs.ts"
import { startDatabase } from "../support/database.ts"

let database: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

const AT_ONCE = 10_000

/** Open jobs of an account, with a chunk that may go out for each of the first thousand. */
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

test("however many jobs are open, chunks go out, and a newcomer's with them", async () => {
  await open("crowd", { count: 70_000, createdAt: 1 })
  await open("newcomer", { count: 1, createdAt: 2 })
  const { needs, sent } = await bulkNeeds(database.open, { zone: {}, leaseMs: 60_000 })
  expect(await dispatchChunks(needs)).toBe(19)
  expect(sent.filter(({ jobId }) => jobId.includes("newcomer"))).toHaveLength(1)
  // What is in flight is counted, or each call would hand out as much again.
  expect(await dispatchChunks(needs)).toBe(0)
  await open("another", { count: 9, createdAt: 3 })
  expect(await dispatchChunks(needs)).toBe(5)
})

test("of more accounts than there is room for, the one that waits longest comes first", async () => {
  const before = database.open()
  await before.run(sql`DELETE FROM jobs`)
  for (let n = 0; n < 60; n++) await open(`later-${n}`, { count: 1, createdAt: 2 })
  await open("waits-longest", { count: 1, createdAt: 1 })
  const { needs, sent } = await bulkNeeds(database.open, { zone: {}, leaseMs: 60_000 })
  expect(await dispatchChunks(needs)).toBe(24)
  expect(sent[0]?.jobId).toContain("waits-longest")
})

test("what may go out is what waits and is due, or whose lease has ended; the rest is in flight, later or done", async () => {
  const rows = database.open()
  await rows.run(sql`DELETE FROM jobs`)
  await rows.run(sql`DELETE FROM job_chunks`)
  const { needs } = await bulkNeeds(database.open, { zone: {}, leaseMs: 60_000 })
  const add = async (jobId: string, createdAt: number, chunks: readonly (readonly [string, number])[]) => {
    await rows.run(sql`INSERT INTO jobs (job_id, account_id, lane, kind, status, smtp, deduplicate, total, created_at)
      VALUES (${jobId}, ${jobId}, ${jobId}, 'async', 'running', 1, 1, 9, ${createdAt})`)
    for (const [chunk, [state, dueAt]] of chunks.entries())
      await rows.run(sql`INSERT INTO job_chunks
        (job_id, chunk, after_domain, after_idx, last_domain, last_idx, state, due_at, epoch)
        VALUES (${jobId}, ${chunk}, '', -1, 'z', 0, ${state}, ${dueAt}, 7)`)
  }
  const before = [
    ...(["done", "waiting", "leased", "running"] as const).map((state) => [state, 50] as const),
    ...[["done", 5] as const, ["waiting", 6] as const, ["leased", 9] as const, ["running", 10] as const],
  ]
  await add("newer", 2, before)
  await add("older", 1, [["waiting", 10]])
  await add("held up", 0, [["waiting", 11]])
  await add("at its end", 0, [["done", 1]])
  expect(await needs.jobChunks.waiting(10, 8)).toEqual([
    { jobId: "older", lane: "older", inFlight: 0, ready: 1 },
    { jobId: "newer", lane: "newer", inFlight: 2, ready: 3 },
  ])
  const shares = new Map([
    ["newer", 2],
    ["held up", 1],
    ["at its end", 1],
  ])
  const leased = await needs.jobChunks.lease(shares, { now: 10, leaseUntil: 99 })
  expect(leased.toSorted((a, b) => a.chunk - b.chunk)).toEqual(
    [5, 6].map((chunk) => ({ jobId: "newer", chunk, leaseEpoch: 8 })),
  )
  const states = await rows.all<{ state: string }>(
    sql`SELECT state FROM job_chunks WHERE job_id = 'newer' ORDER BY chunk`,
  )
  const after = ["done", "waiting", "leased", "running", "done", "leased", "leased", "waiting"]
  expect(states.map(({ state }) => state)).toEqual(after)
})
