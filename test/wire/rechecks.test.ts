import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createRecheckStore } from "../../src/adapters/store/verification/pending.ts"
import { startDatabase } from "../support/stack/database.ts"

let database: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

/** Addresses that an account requested, due one after the other from a given time. */
async function due(account: string | null, { count, from }: { count: number; from: number }) {
  const [rows, numbers] = [database.open(), JSON.stringify(Array.from({ length: count }, (_, n) => n))]
  const name = account ?? "anybody"
  const domain = `${name}.test`
  await rows.run(sql`INSERT INTO rechecks (address, attempt, due_at)
    SELECT ${name} || value || '@' || ${domain}, 0, ${from} + value FROM json_each(${numbers})`)
  if (account === null) return
  await rows.run(sql`INSERT INTO verifications (account_id, address, domain, status, score, cached, checks, created_at)
    SELECT ${account}, ${name.toUpperCase()} || value || '@' || ${domain}, ${domain}, 'unknown', 1, 0, '{}', 1
    FROM json_each(${numbers})`)
}

test("of many due addresses each account's oldest are taken first, in equal shares", async () => {
  await due("busy", { count: 60, from: 0 })
  await due(null, { count: 60, from: 100 })
  await due("quiet", { count: 2, from: 200 })
  await due("later", { count: 2, from: 5_000 })
  const take = () => createRecheckStore(database.open()).lease({ now: 1_000, againAt: 2_000, limit: 8 })
  const taken = (await take()).map(({ address }) => address)
  expect(taken.map((address) => address.split("@")[0]).sort()).toEqual([
    "anybody0",
    "anybody1",
    "anybody2",
    "busy0",
    "busy1",
    "busy2",
    "quiet0",
    "quiet1",
  ])
  const again = (await take()).map(({ address }) => address)
  expect(again).toHaveLength(8)
  expect(again.filter((address) => taken.includes(address))).toEqual([])
})

test("postponed addresses wait for their next due time, all written in one round trip", async () => {
  await due("held", { count: 500, from: 10_000 })
  let trips = 0
  const around = <T>(trip: () => Promise<T>) => {
    trips++
    return trip()
  }
  const store = createRecheckStore(database.open({ around }))
  const taken = await store.lease({ now: 20_000, againAt: 90_000, limit: 1_000 })
  await store.postpone(taken.map(({ address, attempt }, n) => ({ address, attempt: attempt + 1, dueAt: 30_000 + n })))
  expect(trips).toBe(2)
  const next = await store.lease({ now: 30_000 + 49, againAt: 90_000, limit: 1_000 })
  expect(next.map(({ address, attempt }) => [address, attempt]).sort()).toEqual(
    taken
      .slice(0, 50)
      .map(({ address }) => [address, 1])
      .sort(),
  )
})

test("a renewed lease lasts longer, and a postponed address keeps its time", async () => {
  await database.open().run(sql`DELETE FROM rechecks`)
  await due("renewed", { count: 2, from: 200_000 })
  const store = createRecheckStore(database.open())
  const lease = async (now: number) =>
    (await store.lease({ now, againAt: now + 15, limit: 9 })).map(({ address }) => address).sort()
  const [first = "", second = ""] = await lease(200_010)
  await store.postpone([{ address: first, attempt: 1, dueAt: 200_090 }])
  await store.renew([first, second], 200_030)
  expect(await lease(200_029)).toEqual([])
  expect(await lease(200_030)).toEqual([second])
  expect(await lease(200_090)).toEqual([first, second])
})
