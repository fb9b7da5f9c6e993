import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createJobReportStore } from "../../src/adapters/store/lists/job-results.ts"
import { createJobStore } from "../../src/adapters/store/lists/jobs.ts"
import { createResultLists } from "../../src/adapters/store/verification/results.ts"
import { storedDecision } from "../../src/domain/verification/send-decision.ts"
import { verificationOf } from "../support/deps/evidence.ts"
import { startDatabase } from "../support/stack/database.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

test("a list's report, counts and sendable addresses follow the stored decision, and of an older version's rows the score", async () => {
  const database = server.open()
  const items = [
    ["decided@a.test", "unknown", 84, 0],
    ["allowed@a.test", "valid", 84, 1],
    ["older@a.test", "valid", 60, null],
    ["older-low@a.test", "valid", 59, null],
    ["older-gone@a.test", "invalid", 10, null],
    ["open@a.test", null, null, null],
  ]
  await database.run(sql`INSERT INTO job_items (job_id, idx, email, domain, mailbox, is_duplicate, status, score, can_send)
    SELECT 'one', key, value ->> 0, 'a.test', value ->> 0, 0, value ->> 1, value ->> 2, value ->> 3
    FROM json_each(${JSON.stringify(items)})`)
  const all = { from: 0, count: 10 }
  const reports = createJobReportStore(database)
  expect(await reports.sendable("one", all)).toEqual(["allowed@a.test", "older@a.test"])
  const groups = (await reports.groups("one", all)).items.map(({ status, band, canSend, count }) => [
    ...[status, band, canSend, count],
  ])
  expect(groups.toSorted()).toEqual([
    ["invalid", 1, false, 1],
    ["unknown", 8, false, 1],
    ["valid", 5, false, 1],
    ["valid", 6, true, 1],
    ["valid", 8, true, 1],
  ])
  const counts = await createJobStore(database).countByStatus("one", all)
  const sums = counts.map(({ status, count, scores, sendable }) => [status, count, scores, sendable])
  expect(sums.toSorted()).toEqual([
    ["invalid", 1, 10, 0],
    ["unknown", 1, 84, 0],
    ["valid", 3, 203, 2],
  ])
})

test("a stored decision is about its own result: after an older version has replaced the result, the score decides", async () => {
  const database = server.open()
  const lists = createResultLists(database)
  const { evidence, verdict } = verificationOf("anna@b.test")
  const result = {
    key: "anna@b.test",
    domain: "b.test",
    evidence,
    verdict,
    score: 84,
    canSend: false,
    expiresAt: 9_000,
  }
  const decision = async () => (await lists.findBriefs(["anna@b.test"], 1)).get("anna@b.test")!
  await lists.saveAll([{ ...result, verifiedAt: 1 }], null)
  expect([(await decision()).canSend, storedDecision(await decision())]).toEqual([false, false])
  // The statement of a version without the column.
  await database.run(sql`INSERT INTO results (address, domain, status, score, evidence, verified_at, expires_at)
    VALUES ('anna@b.test', 'b.test', 'valid', 90, '{}', 2, 9000)
    ON CONFLICT (address) DO UPDATE SET status = excluded.status, score = excluded.score, verified_at = excluded.verified_at`)
  expect([(await decision()).canSend, storedDecision(await decision())]).toEqual([null, true])
  await lists.saveAll([{ ...result, verifiedAt: 3 }], null)
  expect(storedDecision(await decision())).toBe(false)
})
