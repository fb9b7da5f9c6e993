import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createKvReader } from "../../src/adapters/cache/kv-reader.ts"
import { createMarkCache } from "../../src/adapters/cache/mark-cache.ts"
import { createErasureStore } from "../../src/adapters/store/erasure.ts"
import { createSuppressionStore } from "../../src/adapters/store/suppression.ts"
import { parseAddress, type ValidAddress } from "../../src/domain/address/parse.ts"
import { createDigests } from "../../src/domain/keys/digest.ts"
import { eraseAddress } from "../../src/services/compliance/erase-data.ts"
import { fillMarks } from "../../src/services/suppression/fill-marks.ts"
import { findStanding, findStandingAtEdge } from "../../src/services/suppression/find-standing.ts"
import { rehashSuppressions } from "../../src/services/suppression/rehash-suppressions.ts"
import { suppress, type ToSuppress } from "../../src/services/suppression/suppress.ts"
import { startDatabase } from "../support/database.ts"
import { memoryKv } from "../support/memory-kv.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

const [OLD, NEW] = ["o".repeat(32), "n".repeat(32)]
const address = (email: string) => parseAddress(email) as ValidAddress

/** The service under these peppers, the current one first; the database and the edge are the same. */
let operationsLeft = Number.POSITIVE_INFINITY
const { kv } = memoryKv(async () => {
  if (operationsLeft-- <= 0) throw new Error("Too many API requests by single worker invocation.")
})
/** What a platform allows one call. */
const call = async <T>(work: () => Promise<T>): Promise<T> => {
  operationsLeft = 1_000
  return work().finally(() => {
    operationsLeft = Number.POSITIVE_INFINITY
  })
}
let now = 1_000_000
async function under(...peppers: string[]) {
  const clock = { now: () => now, sleep: async () => undefined }
  const database = server.open()
  const needs = {
    clock,
    digests: await createDigests(peppers),
    suppressions: createSuppressionStore(database),
    marks: createMarkCache(kv, createKvReader(kv), clock.now),
    erasure: createErasureStore(database),
    cache: { get: async () => null, put: async () => undefined, delete: async () => undefined },
  }
  const add = (list: string, emails: readonly string[], more: Partial<ToSuppress> = {}) =>
    suppress(
      needs,
      list,
      emails.map((email) => ({ address: address(email), reason: "manual", source: null, end: null, ...more })),
    )
  const isSuppressed = async (list: string, email: string) => {
    now += 60_000
    const asked = { accountId: list, address: address(email) }
    const [truth, edge] = [await findStanding(needs, asked), await findStandingAtEdge(needs, asked)]
    // Null: the edge knows that it has not been told all, and asks.
    if (edge) expect(edge.isSuppressed, email).toBe(truth.isSuppressed)
    return truth.isSuppressed
  }
  const atEdge = (list: string, email: string) => {
    now += 60_000
    return findStandingAtEdge(needs, { accountId: list, address: address(email) })
  }
  return { needs, add, isSuppressed, atEdge }
}

test("suppressions come under a new pepper, and hold when the former one is honoured no more", async () => {
  const many = Array.from({ length: 1_400 }, (_, n) => `user${n}@rotated.test`)
  const before = await under(OLD)
  await before.add("acc_1", many, { reason: "unsubscribe" })
  await before.add("acc_2", ["erased@rotated.test"], { reason: "hard_bounce" })
  await eraseAddress(before.needs, { address: address("erased@rotated.test"), accountId: "acc_2" })

  const between = await under(NEW, OLD)
  await between.add("acc_1", ["user3@rotated.test"])
  expect(await call(() => rehashSuppressions(between.needs))).toBe(1_400)
  expect(await call(() => rehashSuppressions(between.needs))).toBe(0)
  expect(await between.isSuppressed("acc_2", "erased@rotated.test")).toBe(true)
  const kept = await server.open().all(sql`SELECT reason FROM suppressions WHERE address = 'user3@rotated.test'`)
  expect(kept).toEqual([{ reason: "unsubscribe" }])

  const after = await under(NEW)
  const some = [many[0]!, many[3]!, many[599]!, many[1_399]!]
  for (const email of some) expect(await after.isSuppressed("acc_1", email)).toBe(true)
  for (let calls = 0; (await after.atEdge("acc_1", many[0]!)) === null; calls++) {
    expect(calls).toBeLessThan(4)
    await call(() => fillMarks(after.needs, "acc_1")).catch(() => undefined)
  }
  for (const email of some) expect(await after.atEdge("acc_1", email)).toMatchObject({ isSuppressed: true })
  expect(await rehashSuppressions(after.needs)).toBe(0)
})

test("an entry under a pepper that is honoured no more is still found by its address", async () => {
  const before = await under(OLD)
  await before.add("acc_3", ["forgotten@rotated.test", "bounced@rotated.test"])
  await before.add("acc_3", ["bounced@rotated.test"], { reason: "hard_bounce" })
  const after = await under(NEW)
  for (const email of ["Forgotten@rotated.test", "bounced@rotated.test"])
    await eraseAddress(after.needs, { address: address(email), accountId: null })
  expect(await server.open().all(sql`SELECT address, reason FROM suppressions WHERE account_id = 'acc_3'`)).toEqual([
    { address: null, reason: "hard_bounce" },
  ])
})

test("an erasure takes the edge's mark under the former pepper too", async () => {
  const before = await under(OLD)
  await before.add("acc_4", ["moved@rotated.test"])
  const between = await under(NEW, OLD)
  await rehashSuppressions(between.needs)
  while ((await between.atEdge("acc_4", "moved@rotated.test")) === null) await fillMarks(between.needs, "acc_4")
  await eraseAddress(between.needs, { address: address("moved@rotated.test"), accountId: "acc_4" })
  expect(await between.isSuppressed("acc_4", "moved@rotated.test")).toBe(false)
})
