import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createHistoryStore } from "../../src/adapters/store/accounts/history.ts"
import { createKeyStore } from "../../src/adapters/store/accounts/keys.ts"
import { createJobChunks } from "../../src/adapters/store/lists/job-chunks.ts"
import { createAnswerWriteStore } from "../../src/adapters/store/verification/answer-writes.ts"
import { NOW } from "../support/deps/evidence.ts"
import { startDatabase } from "../support/stack/database.ts"
import { insertPersonRows } from "../support/stack/planted-person.ts"
import { findTablesWith } from "../support/stack/tables-with.ts"

/** What test keys do belongs to an account without a row of its own. The account that owns the keys decides about it. */
let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

test("moves with its owner when an unconfirmed key joins an account", async () => {
  const database = server.open()
  await insertPersonRows(database, { email: "tess@one.test", account: "acc_1" })
  await insertPersonRows(database, { email: "tina@one.test", account: "acc_1_test" })
  for (const table of ["accounts", "api_keys", "identities"])
    await database.run(sql`DELETE FROM ${sql.identifier(table)} WHERE account_id = 'acc_1_test'`)
  await database.run(sql`UPDATE accounts SET email = NULL WHERE account_id = 'acc_1'`)
  await database.run(sql`INSERT INTO accounts (account_id, email, created_at) VALUES ('acc_2', 'owner@two.test', 1)`)

  await createKeyStore(database).adopt({ from: "acc_1", to: "acc_2", now: NOW })
  const lists = await database.all(sql`SELECT account_id FROM jobs WHERE job_id LIKE 'acc_1%' ORDER BY account_id`)
  expect(lists).toEqual([{ account_id: "acc_2" }, { account_id: "acc_2_test" }])
  const moved = await findTablesWith(database, '"account_id":"acc_2_test"')
  expect(moved).toEqual(expect.arrayContaining(["jobs", "suppressions", "verifications"]))
  expect(await findTablesWith(database, '"account_id":"acc_1_test"')).toEqual([])
})

test("its lists wait while the owner is suspended", async () => {
  const database = server.open()
  const chunks = createJobChunks(database)
  await database.run(sql`INSERT INTO accounts (account_id, created_at, suspended_at) VALUES ('acc_3', 0, 7)`)
  await database.run(sql`INSERT INTO jobs (job_id, account_id, lane, kind, status, smtp, deduplicate, total, created_at)
    VALUES ('job_3', 'acc_3_test', 'acc_3_test', 'async', 'running', 1, 1, 9, 1)`)
  await database.run(sql`INSERT INTO job_chunks
      (job_id, chunk, after_domain, after_idx, last_domain, last_idx, state, due_at, epoch)
    VALUES ('job_3', 0, 'a', 0, 'c', 1, 'waiting', 5, 3)`)
  const ready = async () => (await chunks.waiting(10, 8)).map(({ jobId }) => jobId)
  expect(await ready()).toEqual([])
  await database.run(sql`UPDATE accounts SET suspended_at = NULL WHERE account_id = 'acc_3'`)
  expect(await ready()).toEqual(["job_3"])
})

test("its answers are in a history of its own as long as the owner exists", async () => {
  const database = server.open()
  const checks = { note: "of a test key" }
  const listed = {
    address: "a@b.test",
    domain: "b.test",
    status: "valid",
    score: 90,
    canSend: true,
    cached: false,
  } as const
  const write = (accountId: string) =>
    createAnswerWriteStore(database).writeAll([
      { entry: { accountId, at: NOW, subjects: [], listed: { ...listed, checks } }, isRepeated: false },
    ])
  const historyOf = (accountId: string) =>
    createHistoryStore(database).recent(accountId, { limit: 10, offset: 0, before: Number.MAX_SAFE_INTEGER })
  await database.run(sql`INSERT INTO accounts (account_id, created_at) VALUES ('acc_4', 0)`)
  for (const accountId of ["acc_4_test", "acc_5_test"]) await write(accountId)
  expect([await historyOf("acc_4_test"), await historyOf("acc_4"), await historyOf("acc_5_test")]).toMatchObject([
    [{ address: "a@b.test" }],
    [],
    [],
  ])
})
