import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createHistoryStore } from "../../src/adapters/store/accounts/history.ts"
import { createCounterStore } from "../../src/adapters/store/admin/counters.ts"
import { startDatabase } from "../support/stack/database.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

const DAY_MS = 86_400_000
const NOON = Date.UTC(2026, 10, 21, 12)

function save(address: string, status: string, verifiedAt: number) {
  const domain = address.slice(address.indexOf("@") + 1)
  return server.open().run(sql`INSERT INTO results (address, domain, status, score, evidence, verified_at, expires_at)
    VALUES (${address}, ${domain}, ${status}, 1, '{}', ${verifiedAt}, ${verifiedAt})
    ON CONFLICT (address) DO UPDATE SET domain = excluded.domain, status = excluded.status,
      verified_at = excluded.verified_at`)
}

const rows = (query: ReturnType<typeof sql>) => server.open().all(query)

test("counts follow the results for any kind of write", async () => {
  await save("a@one.test", "valid", NOON)
  await save("b@one.test", "valid", NOON)
  await save("c@two.test", "invalid", NOON)
  await save("b@one.test", "invalid", NOON + DAY_MS)
  await save("b@one.test", "invalid", NOON + DAY_MS)
  expect(await rows(sql`SELECT domain, status, count FROM result_counts WHERE count > 0 ORDER BY 1, 2`)).toEqual([
    { domain: "", status: "invalid", count: 2 },
    { domain: "", status: "valid", count: 1 },
    { domain: "one.test", status: "invalid", count: 1 },
    { domain: "one.test", status: "valid", count: 1 },
    { domain: "two.test", status: "invalid", count: 1 },
  ])
  await server.open().run(sql`DELETE FROM results WHERE domain = 'one.test'`)
  expect(
    await rows(sql`SELECT domain, status, count FROM result_counts WHERE count <> 0 OR domain = 'one.test' ORDER BY 1`),
  ).toEqual([
    { domain: "", status: "invalid", count: 1 },
    { domain: "two.test", status: "invalid", count: 1 },
  ])
})

test("an insert that ignores existing rows counts only new ones", async () => {
  const insert = (key: string) =>
    server.open().run(sql`INSERT OR IGNORE INTO feedback
      (event_key, account_id, address_hash, domain, kind, source, at, recorded_at, batch)
      VALUES (${key}, 'acc_1', 'h', 'one.test', 'delivered', 'x', 0, 0, 'b')`)
  for (const key of ["1", "2", "2", "1", "3"]) await insert(key)
  expect(await rows(sql`SELECT count FROM row_counts WHERE name = 'feedback'`)).toEqual([{ count: 3 }])
})

test("the answers of all accounts are summed by day, live and from the sums of the night alike", async () => {
  const [history, counters] = [createHistoryStore(server.open()), createCounterStore(server.open())]
  const valid = (cached: boolean) => ({ status: "valid" as const, cached, score: 90, canSend: true })
  await history.count({ accountId: "acc_1", keyId: "kid_1" }, [valid(false), valid(true), valid(true)], NOON)
  await history.count({ accountId: "acc_2", keyId: null }, [valid(false)], NOON)
  await history.count({ accountId: null, keyId: null }, [valid(false)], NOON + 2 * DAY_MS)
  const answers = async (now: number) =>
    (await counters.since("2026-11-21", now))
      .filter(({ name }) => name !== "facts")
      .map(({ day, name, count }) => [day, name, count])
  const first = [
    ["2026-11-21", "stored:valid", 2],
    ["2026-11-21", "verified:valid", 2],
  ]
  const all = [...first, ["2026-11-23", "verified:valid", 1]]
  expect(await answers(NOON)).toEqual(all)
  for (const now of [NOON + DAY_MS, NOON + 2 * DAY_MS, NOON + 3 * DAY_MS]) {
    await counters.sumPastDays(now)
    expect(await answers(now)).toEqual(all)
  }
  expect(await counters.since("2026-11-22", NOON + 9 * DAY_MS)).toEqual([
    { day: "2026-11-23", name: "verified:valid", count: 1 },
  ])
})

test("stored verifications are counted without a row for each", async () => {
  const history = createHistoryStore(server.open())
  const entry = (address: string) =>
    ({ address, domain: "one.test", status: "valid", score: 1, canSend: false, cached: false, checks: {} }) as const
  const asker = { accountId: "acc_9", keyId: null }
  await history.record(asker, [entry("a@one.test"), entry("b@one.test"), entry("c@one.test")], NOON)
  const counted = async () => (await createCounterStore(server.open()).rows()).get("verifications")
  expect(await counted()).toBe(3)
  await server.open().run(sql`DELETE FROM verifications WHERE address <> 'b@one.test'`)
  expect(await counted()).toBe(1)
  await history.record(asker, [entry("d@one.test")], NOON)
  expect(await counted()).toBe(2)
})

test("rows of the large tables are counted", async () => {
  const database = server.open()
  await database.run(
    sql`INSERT INTO domains (domain, facts, checked_at, expires_at) VALUES ('a.test', '{}', ${NOON}, 0), ('b.test', '{}', ${NOON}, 0)`,
  )
  await database.run(sql`UPDATE domains SET checked_at = checked_at + 1 WHERE domain = 'a.test'`)
  await database.run(sql`DELETE FROM domains WHERE domain = 'b.test'`)
  expect(await rows(sql`SELECT count FROM row_counts WHERE name = 'domains'`)).toEqual([{ count: 1 }])
  expect(await rows(sql`SELECT count FROM service_counts WHERE name = 'facts'`)).toEqual([{ count: 3 }])
})
