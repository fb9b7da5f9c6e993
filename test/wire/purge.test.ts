import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createErasureStore } from "../../src/adapters/store/compliance/erasure.ts"
import { startDatabase } from "../support/stack/database.ts"
import { type Person, insertPersonRows as plantPerson } from "../support/stack/planted-person.ts"
import { findTablesWith } from "../support/stack/tables-with.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

const plant = (person: Person) => plantPerson(server.open(), person)
const tablesWith = (text: string) => findTablesWith(server.open(), text)
const store = () => createErasureStore(server.open())

test("a purge deletes expired rows from every table", async () => {
  const now = Date.UTC(2026, 10, 21)
  const old = now - 91 * 86_400_000
  await plant({ email: "lena@four.test", account: "acc_21" })
  const fresh = (await tablesWith("lena@four.test")).length
  await server.open().run(sql`UPDATE results SET verified_at = ${now} WHERE address = 'lena@four.test'`)
  await server.open().run(sql`UPDATE jobs SET completed_at = ${old} WHERE account_id = 'acc_21'`)
  const purged = await store().purge(now, 10_000)
  expect(purged.find(({ table }) => table === "job_items")?.removed).toBe(1)
  const left = await tablesWith("lena@four.test")
  expect(left).toContain("results")
  expect(left).not.toEqual(expect.arrayContaining(["verifications"]))
  expect(left.length).toBeLessThan(fresh)
})

test("a purge deletes rows that arrived during an account's erasure, and leaves the operator's", async () => {
  const database = server.open()
  await database.batch([
    database.run(sql`INSERT INTO receivers (receiver_id, account_id, provider, token_hash, sealed_secret, created_at)
      VALUES ('rec_late', 'acc_late', 'mailgun', 'late', '', 0)`),
    database.run(sql`INSERT INTO integrations (integration_id, account_id, provider, name, sealed, seal_key_id, settings, created_at)
      VALUES ('int_late', 'acc_late', 'slack', '', '', '', '{}', 0)`),
    database.run(
      sql`INSERT INTO fleet_tokens (digest, account_id, expires_at) VALUES ('late', 'acc_late', 0), ('ours', NULL, 0)`,
    ),
    // The account of test keys has no row of its own: the account of their owner decides.
    database.run(sql`INSERT INTO accounts (account_id, created_at) VALUES ('acc_here', 0)`),
    database.run(sql`INSERT INTO receivers (receiver_id, account_id, provider, token_hash, sealed_secret, created_at)
      VALUES ('rec_test', 'acc_here_test', 'mailgun', 'here', '', 0), ('rec_gone', 'acc_late_test', 'mailgun', 'gone', '', 0)`),
  ])
  await store().purge(Date.now(), 10_000)
  expect(await tablesWith("rec_test")).toEqual(["receivers"])
  expect(await tablesWith("acc_late")).toEqual([])
  expect(await database.all(sql`SELECT digest FROM fleet_tokens WHERE digest IN ('late', 'ours')`)).toEqual([
    { digest: "ours" },
  ])
})

test("a purge that stops at its limit does not delete a job that still has items", async () => {
  const now = Date.UTC(2026, 10, 21)
  const database = server.open()
  await plant({ email: "mona@five.test", account: "acc_22" })
  await database.run(sql`UPDATE jobs SET completed_at = 1 WHERE account_id = 'acc_22'`)
  const rows = JSON.stringify(Array.from({ length: 4_000 }, (_, n) => n + 10))
  await database.run(sql`INSERT INTO job_items (job_id, idx, email, mailbox, domain, is_duplicate)
    SELECT job_id, value, 'mona@five.test', 'mona@five.test', 'five.test', 0 FROM jobs, json_each(${rows})
    WHERE account_id = 'acc_22'`)
  const left = async () =>
    (
      await database.all<{ n: number }>(sql`SELECT (SELECT count(*) FROM jobs WHERE account_id = 'acc_22')
        + (SELECT count(*) FROM job_items WHERE domain = 'five.test') AS n`)
    )[0]?.n
  await store().purge(now, 2_000)
  expect(await left()).toBeGreaterThan(1_000)
  expect(await database.all(sql`SELECT 1 FROM jobs WHERE account_id = 'acc_22'`)).toHaveLength(1)
  for (let go = 0; go < 3; go++) await store().purge(now, 2_000)
  expect(await left()).toBe(0)
})

test("settled charges are deleted after 90 days; an account's usage stays, a network's usage is deleted with its month", async () => {
  const now = Date.UTC(2026, 11, 15)
  const database = server.open()
  const DAY = 86_400_000
  for (const [id, state, days] of [
    ["old", "settled", 91],
    ["open", "job", 91],
    ["new", "settled", 89],
  ] as const)
    await database.run(sql`INSERT INTO ledger (charge_id, subject, period, reserved, state, created_at)
      VALUES (${id}, 'acc_23', '2026-09', 1, ${state}, ${now - days * DAY})`)
  for (const subject of ["acc_23", "ip:23"])
    for (const period of ["2026-10", "2026-11", "2026-12"])
      await database.run(sql`INSERT INTO usage (subject, period, used) VALUES (${subject}, ${period}, 1)`)
  await store().purge(now, 10_000)
  const ids = await database.all<{ id: string }>(sql`SELECT charge_id AS id FROM ledger WHERE subject = 'acc_23'
    UNION ALL SELECT subject || ' ' || period FROM usage WHERE subject IN ('acc_23', 'ip:23') ORDER BY 1`)
  expect(ids.map(({ id }) => id)).toEqual([
    ...["acc_23 2026-10", "acc_23 2026-11", "acc_23 2026-12", "ip:23 2026-11", "ip:23 2026-12", "new", "open"],
  ])
})
