import { sql } from "drizzle-orm"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { ChunkMessage } from "../../schema/wire/queue.ts"
import { createJobChunks, type JobChunks } from "../../src/adapters/store/lists/job-chunks.ts"
import { verificationOf } from "../support/deps/evidence.ts"
import { startDatabase } from "../support/stack/database.ts"

let database: Awaited<ReturnType<typeof startDatabase>>
let chunks: JobChunks
beforeAll(async () => {
  database = await startDatabase()
  chunks = createJobChunks(database.open())
})
afterAll(() => database.stop())
beforeEach(async () => {
  for (const table of ["jobs", "job_chunks", "job_items"])
    await database.open().run(sql`DELETE FROM ${sql.identifier(table)}`)
})

type Chunk = readonly [state: string, dueAt: number]

/** A running job with these chunks, each leased for the third time. */
async function open(jobId: string, createdAt: number, held: readonly Chunk[]) {
  const rows = database.open()
  await rows.run(sql`INSERT INTO jobs (job_id, account_id, lane, kind, status, smtp, deduplicate, total, created_at)
    VALUES (${jobId}, ${jobId}, ${jobId}, 'async', 'running', 1, 1, 9, ${createdAt})`)
  await rows.run(sql`INSERT INTO job_chunks
      (job_id, chunk, after_domain, after_idx, last_domain, last_idx, state, due_at, epoch)
    SELECT ${jobId}, key, 'a', 0, 'c', 1, value ->> 0, value ->> 1, 3 FROM json_each(${JSON.stringify(held)})`)
}

const chunksOf = (jobId: string) =>
  database
    .open()
    .all(sql`SELECT state, due_at, epoch, uncounted, passes FROM job_chunks WHERE job_id = ${jobId} ORDER BY chunk`)

test("chunks are ready when they are due or their lease has expired; others are in flight, scheduled or done", async () => {
  const later: Chunk[] = ["done", "waiting", "leased", "running"].map((state) => [state, 50])
  await open("newer", 2, [...later, ["done", 5], ["waiting", 6], ["leased", 9], ["running", 10]])
  await open("older", 1, [["waiting", 10]])
  await open("held up", 0, [["waiting", 11]])
  await open("at its end", 0, [["done", 1]])
  expect(await chunks.waiting(10, 8)).toEqual([
    { jobId: "older", queueKey: "older", weight: 1, inFlight: 0, ready: 1 },
    { jobId: "newer", queueKey: "newer", weight: 1, inFlight: 2, ready: 3 },
  ])
  const rows = database.open()
  await rows.run(sql`UPDATE jobs SET status = 'queued' WHERE job_id IN ('older', 'held up')`)
  await rows.run(sql`UPDATE jobs SET status = 'cancelled', started_at = 4 WHERE job_id = 'at its end'`)
  const shares = new Map(Object.entries({ newer: 2, older: 1, "at its end": 1 }))
  const leased = await chunks.lease(shares, { now: 10, leaseUntil: 99 })
  const newer = [5, 6].map((chunk) => ({ jobId: "newer", chunk, leaseEpoch: 4 }))
  expect(leased.toSorted((a, b) => a.chunk - b.chunk)).toEqual([{ jobId: "older", chunk: 0, leaseEpoch: 4 }, ...newer])
  const after = ["done", "waiting", "leased", "running", "done", "leased", "leased", "waiting"]
  expect(await chunksOf("newer")).toMatchObject(after.map((state) => ({ state })))
  expect(await rows.all(sql`SELECT job_id, status, started_at FROM jobs ORDER BY created_at, job_id`)).toEqual([
    { job_id: "at its end", status: "cancelled", started_at: 4 },
    { job_id: "held up", status: "queued", started_at: null },
    { job_id: "older", status: "running", started_at: 10 },
    { job_id: "newer", status: "running", started_at: null },
  ])
  expect(await chunks.lease(new Map([["held up", 1]]), { now: 10, leaseUntil: 99 })).toEqual([])
  expect(await chunks.lease(new Map([["held up", 1]]), { now: 11, leaseUntil: 99 })).toHaveLength(1)
})

test("the chunks of a suspended account return to the job and wait until it is resumed", async () => {
  await open("suspended", 1, [
    ["leased", 50],
    ["waiting", 5],
    ["running", 50],
  ])
  await open("other", 2, [["waiting", 5]])
  const rows = database.open()
  await rows.run(sql`INSERT INTO accounts (account_id, created_at, suspended_at)
    VALUES ('suspended', 0, 7), ('other', 0, NULL)`)
  const ready = async () => (await chunks.waiting(10, 8)).map(({ jobId, ready }) => [jobId, ready])
  const message = { jobId: "suspended", chunk: 0, leaseEpoch: 3 }
  expect(await chunks.claim(message, 99)).toBeNull()
  await chunks.recall("suspended", 10)
  const states = async () => (await chunksOf("suspended")).map((row) => (row as { state: string }).state)
  expect(await states()).toEqual(["waiting", "waiting", "running"])
  expect(await ready()).toEqual([["other", 1]])
  await rows.run(sql`UPDATE accounts SET suspended_at = NULL`)
  expect(await ready()).toEqual([
    ["suspended", 2],
    ["other", 1],
  ])
  // The message of the earlier lease finds no work.
  expect(await chunks.claim(message, 99)).toBeNull()
  await rows.run(sql`DELETE FROM accounts`)
})

describe("a chunk", () => {
  const NOTHING = { items: [], results: [] }
  const cases: readonly [string, string, (message: ChunkMessage) => Promise<unknown>, object][] = [
    ["is claimed", "leased", (message) => chunks.claim(message, 99), { state: "running", due_at: 99 }],
    [
      "is released",
      "leased",
      (message) => chunks.release([message], 88),
      { state: "waiting", due_at: 88, uncounted: 1 },
    ],
    [
      "is given back",
      "running",
      (message) => chunks.releaseForRetry(message, 77, true),
      { state: "waiting", due_at: 77 },
    ],
    [
      "is given back from a full disk, which counts no lease",
      "running",
      (message) => chunks.releaseForRetry(message, 77, false),
      { state: "waiting", due_at: 77, uncounted: 1 },
    ],
    ["is renewed", "running", (message) => chunks.renew([message], 99), { due_at: 99 }],
    [
      "waits for a probe node without a counted pass",
      "running",
      (message) => chunks.write({ message, ...NOTHING, nextAt: 66, isCounted: false, now: 60, eventId: "evt" }),
      { state: "waiting", due_at: 66 },
    ],
    [
      "waits for its next pass",
      "running",
      (message) => chunks.write({ message, ...NOTHING, nextAt: 66, isCounted: true, now: 60, eventId: "evt" }),
      { state: "waiting", due_at: 66, passes: 1 },
    ],
    [
      "is done",
      "running",
      (message) => chunks.write({ message, ...NOTHING, nextAt: null, isCounted: true, now: 60, eventId: "evt" }),
      { state: "done", due_at: 60, passes: 1 },
    ],
  ]
  test.each(cases)("%s alone, once, and under its current lease only", async (_, state, run, changed) => {
    for (const jobId of ["one", "two"])
      await open(
        jobId,
        1,
        [state, state].map((held) => [held, 50]),
      )
    const message = { jobId: "one", chunk: 1, leaseEpoch: 3 }
    const before = { state, due_at: 50, epoch: 3, uncounted: 0, passes: 0 }
    await run({ ...message, leaseEpoch: 2 })
    expect(await chunksOf("one")).toEqual([before, before])
    const set = (to: string) => database.open().run(sql`UPDATE job_chunks SET state = ${to} WHERE job_id = 'one'`)
    for (const other of ["waiting", "leased", "running", "done"].filter((one) => one !== state)) {
      await set(other)
      await run(message)
      expect(await chunksOf("one")).toEqual(Array(2).fill({ ...before, state: other }))
    }
    await set(state)
    await run(message)
    const after = [before, { ...before, ...changed }]
    for (const _ of ["now", "again"]) {
      expect([await chunksOf("one"), await chunksOf("two")]).toEqual([after, [before, before]])
      await run(message)
    }
  })

  test("has a new epoch under each lease, so that a late write of an uncounted one changes nothing", async () => {
    await open("one", 1, [["running", 50]])
    const lost = { jobId: "one", chunk: 0, leaseEpoch: 3 }
    await chunks.releaseForRetry(lost, 5, false)
    const [next] = await chunks.lease(new Map([["one", 1]]), { now: 10, leaseUntil: 99 })
    const claimed = await chunks.claim(next!, 99)
    // Three leases counted before, of which one no longer does.
    expect([next!.leaseEpoch, claimed!.leases]).toEqual([4, 3])
    await chunks.write({ message: lost, ...NOTHING, nextAt: null, isCounted: true, now: 60, eventId: "evt" })
    expect(await chunksOf("one")).toMatchObject([{ state: "running", epoch: 4, uncounted: 1, passes: 0 }])
  })

  test("is claimed with the open items of its range, and only for a running job", async () => {
    await open("one", 1, [["leased", 50]])
    await open("over", 1, [["leased", 50]])
    const rows = database.open()
    await rows.run(sql`UPDATE jobs SET status = 'cancelled' WHERE job_id = 'over'`)
    const items = [..."abcab"].flatMap((domain, idx) =>
      ["one", "over"].map((jobId) => [jobId, idx, `${idx}@${domain}`, domain, idx === 4 ? "valid" : null]),
    )
    await rows.run(sql`INSERT INTO job_items (job_id, idx, email, domain, mailbox, is_duplicate, status)
      SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 2, 0, value ->> 4
      FROM json_each(${JSON.stringify(items)})`)
    const claimed = await chunks.claim({ jobId: "one", chunk: 0, leaseEpoch: 3 }, 99)
    // The range is after 0@a, up to c at 1. 4@b has a result.
    expect(claimed?.items.map(({ email }) => email)).toEqual(["3@a", "1@b"])
    expect(await chunks.claim({ jobId: "over", chunk: 0, leaseEpoch: 3 }, 99)).toBeNull()
  })

  test("writes into its own job, each item once, and not after the job's end", async () => {
    const rows = database.open()
    for (const jobId of ["one", "two"]) await open(jobId, 1, [["running", 50]])
    await rows.run(sql`UPDATE jobs SET total = CASE job_id WHEN 'one' THEN 2 ELSE 0 END`)
    await rows.run(sql`INSERT INTO job_items (job_id, idx, email, domain, mailbox, is_duplicate)
      SELECT job_id, value, 'x@b', 'b', 'x@b', 0 FROM jobs, json_each('[0, 1]')`)
    const write = (idx: number, status: "valid" | "invalid") => {
      const item = {
        idx,
        status,
        score: 1,
        canSend: false,
        evidence: {} as never,
        cached: false,
        verifiedAt: 1,
        attempts: 1,
        error: null,
      }
      const items = [{ ...item, isAbandoned: false, credits: 1 }]
      const message = { jobId: "one", chunk: 0, leaseEpoch: 3 }
      return chunks.write({ message, items, results: [], nextAt: null, isCounted: true, now: 60, eventId: "evt" })
    }
    const state = async () => [
      ...(await rows.all(sql`SELECT status, done, valid, invalid, credits FROM jobs ORDER BY job_id`)),
      (await rows.all<{ status: string }>(sql`SELECT status FROM job_items ORDER BY job_id, idx`)).map(
        (row) => row.status,
      ),
    ]
    const other = { status: "running", done: 0, valid: 0, invalid: 0, credits: 0 }
    const first = { ...other, done: 1, valid: 1, credits: 1 }
    for (const status of ["valid", "invalid"] as const) expect((await write(0, status)).isEnd).toBe(false)
    expect(await state()).toEqual([first, other, ["valid", null, null, null]])
    await rows.run(sql`UPDATE jobs SET status = 'cancelled' WHERE job_id = 'one'`)
    await write(1, "invalid")
    expect(await state()).toEqual([{ ...first, status: "cancelled" }, other, ["valid", null, null, null]])
    await rows.run(sql`UPDATE jobs SET status = 'running' WHERE job_id = 'one'`)
    expect((await write(1, "invalid")).isEnd).toBe(true)
    const ended = { status: "complete", done: 2, valid: 1, invalid: 1, credits: 2 }
    expect(await state()).toEqual([ended, other, ["valid", "invalid", null, null]])
  })

  test("stores results together with their charge, and none of a finished job", async () => {
    await open("one", 1, [["running", 50]])
    const { evidence, verdict } = verificationOf("anna@example.org")
    const result = { key: "anna@example.org", domain: "example.org", evidence, verdict, score: 90, canSend: true }
    const results = [{ ...result, verifiedAt: 1, expiresAt: 2 }]
    const message = { jobId: "one", chunk: 0, leaseEpoch: 3 }
    const write = () =>
      chunks.write({ message, items: [], results, nextAt: null, isCounted: true, now: 60, eventId: "evt" })
    const known = () => database.open().all(sql`SELECT address FROM results`)
    await database.open().run(sql`UPDATE jobs SET status = 'cancelled'`)
    expect([await write(), await known()]).toEqual([{ isEnd: false, isStored: false, isFirstPassOver: false }, []])
    await database.open().run(sql`UPDATE jobs SET status = 'running'`)
    expect([await write(), await known()]).toEqual([
      { isEnd: false, isStored: true, isFirstPassOver: true },
      [{ address: result.key }],
    ])
  })
})
