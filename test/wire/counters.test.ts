import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
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
  expect(await rows(sql`SELECT day, name, count FROM service_counts ORDER BY 1, 2`)).toEqual([
    { day: "2026-11-21", name: "verified:invalid", count: 1 },
    { day: "2026-11-21", name: "verified:valid", count: 2 },
    { day: "2026-11-22", name: "verified:invalid", count: 1 },
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
