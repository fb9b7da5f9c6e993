import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createOperatorStore } from "../../src/adapters/store/admin/operator.ts"
import { startDatabase } from "../support/stack/database.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

test("expired results are found, the oldest first, behind any number of fresh ones", async () => {
  const database = server.open()
  const NOW = 1_000_000
  // Three results per verification time. From 41,000 on they have expired, and every fifth is unknown.
  await database.run(sql`WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < 41009)
    INSERT INTO results (address, domain, status, score, evidence, verified_at, expires_at)
    SELECT 'user' || n || '@d.test', 'd.test', CASE n % 5 WHEN 0 THEN 'unknown' ELSE 'valid' END, 1, '{}',
      1 + n / 3, ${NOW} + (n < 41000) FROM c`)
  const stale = (limit: number, status?: "unknown") => createOperatorStore(database).stale({ now: NOW, status, limit })
  const names = (...places: number[]) => places.map((n) => `user${n}@d.test`)
  expect((await stale(1_000)).toSorted()).toEqual(names(...Array.from({ length: 10 }, (_, n) => 41_000 + n)))
  expect(await stale(1)).toEqual(names(41_000))
  expect(await stale(1_000, "unknown")).toEqual(names(41_000, 41_005))
})

test("results of a status are found page by page, behind any number of others", async () => {
  const store = createOperatorStore(server.open())
  const wanted = Array.from({ length: 4_100 }, (_, n) => `user${n * 10}@d.test`).sort()
  await server.open().run(sql`UPDATE results SET status = 'invalid'
    WHERE address IN (SELECT value FROM json_each(${JSON.stringify(wanted)}))`)
  const search = async (more: { after?: string; offset?: number; domain?: string }) =>
    (await store.search({ status: "invalid", limit: 3, offset: 0, ...more })).map(({ address }) => address)
  expect(await search({})).toEqual(wanted.slice(0, 3))
  expect(await search({ offset: 2_500 })).toEqual(wanted.slice(2_500, 2_503))
  expect(await search({ after: wanted[1_000]!, offset: 7, domain: "d.test" })).toEqual(wanted.slice(1_008, 1_011))
  expect(await search({ after: wanted.at(-2)! })).toEqual(wanted.slice(-1))
  expect(await search({ domain: "other.test" })).toEqual([])
})
