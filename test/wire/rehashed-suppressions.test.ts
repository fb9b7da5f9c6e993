import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createKvReader } from "../../src/adapters/cache.ts"
import { createAccountErasureStore, createErasureStore } from "../../src/adapters/store/compliance/erasure.ts"
import { createSuppressionStore } from "../../src/adapters/store/suppression/suppression.ts"
import { createFlagCache } from "../../src/adapters/suppression/flag-cache.ts"
import { createDigests } from "../../src/domain/accounts/crypto.ts"
import { parseAddress, type ValidAddress } from "../../src/domain/address/parse.ts"
import { eraseAddress } from "../../src/services/compliance/erase-data.ts"
import { copyFlags, findAccountFlags, rehashSuppressions } from "../../src/services/suppression/flags.ts"
import { suppress, type ToSuppress } from "../../src/services/suppression/suppression-list.ts"
import { testContext } from "../support/deps/context.ts"
import { memoryKv } from "../support/deps/memory-kv.ts"
import { startDatabase } from "../support/stack/database.ts"
import { flagsAtEdge } from "../support/stack/flags-at-edge.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

const [OLD, NEW] = ["o".repeat(32), "n".repeat(32)]
const address = (email: string) => parseAddress(email) as ValidAddress

/** The service with these peppers, the current one first. The database and the edge are shared. */
let operationsLeft = Number.POSITIVE_INFINITY
const { kv } = memoryKv(async () => {
  if (operationsLeft-- <= 0) throw new Error("Too many API requests by single worker invocation.")
})
/** Limits the KV operations of a call, as the platform does. */
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
  const ctx = testContext({
    clock,
    digests: await createDigests(peppers),
    flags: createFlagCache(kv, createKvReader(kv), clock.now),
    cache: { get: async () => null, put: async () => undefined, delete: async () => undefined },
    store: {
      suppressions: createSuppressionStore(database),
      erasure: createErasureStore(database),
      accountErasures: createAccountErasureStore(database),
    },
  })
  const add = (list: string, emails: readonly string[], more: Partial<ToSuppress> = {}) =>
    suppress(
      ctx,
      list,
      emails.map((email) => ({ address: address(email), reason: "manual", source: null, end: null, ...more })),
    )
  const isSuppressed = async (list: string, email: string) => {
    now += 60_000
    const asked = { accountId: list, address: address(email) }
    const [truth, edge] = [await findAccountFlags(ctx, asked), await flagsAtEdge(ctx, asked)]
    // Null: the edge does not have all flags, and the caller reads the database.
    if (edge) expect(edge.isSuppressed, email).toBe(truth.isSuppressed)
    return truth.isSuppressed
  }
  const atEdge = (list: string, email: string) => {
    now += 60_000
    return flagsAtEdge(ctx, { accountId: list, address: address(email) })
  }
  return { ctx, add, isSuppressed, atEdge }
}

test("suppressions are hashed again under a new pepper, and apply when the old one is no longer accepted", async () => {
  const many = Array.from({ length: 1_400 }, (_, n) => `user${n}@rotated.test`)
  const before = await under(OLD)
  await before.add("acc_1", many, { reason: "unsubscribe" })
  await before.add("acc_2", ["erased@rotated.test"], { reason: "hard_bounce" })
  await eraseAddress(before.ctx, { address: address("erased@rotated.test"), accountId: "acc_2" })

  const between = await under(NEW, OLD)
  await between.add("acc_1", ["user3@rotated.test"])
  expect(await call(() => rehashSuppressions(between.ctx))).toBe(1_400)
  expect(await call(() => rehashSuppressions(between.ctx))).toBe(0)
  expect(await between.isSuppressed("acc_2", "erased@rotated.test")).toBe(true)
  const kept = await server.open().all(sql`SELECT reason FROM suppressions WHERE address = 'user3@rotated.test'`)
  expect(kept).toEqual([{ reason: "unsubscribe" }])

  const after = await under(NEW)
  const some = [many[0]!, many[3]!, many[599]!, many[1_399]!]
  for (const email of some) expect(await after.isSuppressed("acc_1", email)).toBe(true)
  for (let calls = 0; (await after.atEdge("acc_1", many[0]!)) === null; calls++) {
    expect(calls).toBeLessThan(4)
    await call(() => copyFlags(after.ctx, "acc_1")).catch(() => undefined)
  }
  for (const email of some) expect(await after.atEdge("acc_1", email)).toMatchObject({ isSuppressed: true })
  expect(await rehashSuppressions(after.ctx)).toBe(0)
})

test("an entry under a pepper that is no longer accepted is still found by its address", async () => {
  const before = await under(OLD)
  await before.add("acc_3", ["forgotten@rotated.test", "bounced@rotated.test"])
  await before.add("acc_3", ["bounced@rotated.test"], { reason: "hard_bounce" })
  const after = await under(NEW)
  for (const email of ["Forgotten@rotated.test", "bounced@rotated.test"])
    await eraseAddress(after.ctx, { address: address(email), accountId: null })
  expect(await server.open().all(sql`SELECT address, reason FROM suppressions WHERE account_id = 'acc_3'`)).toEqual([
    { address: null, reason: "hard_bounce" },
  ])
})

test("an erasure also removes the edge's flag under the old pepper", async () => {
  const before = await under(OLD)
  await before.add("acc_4", ["moved@rotated.test"])
  const between = await under(NEW, OLD)
  await rehashSuppressions(between.ctx)
  while ((await between.atEdge("acc_4", "moved@rotated.test")) === null) await copyFlags(between.ctx, "acc_4")
  await eraseAddress(between.ctx, { address: address("moved@rotated.test"), accountId: "acc_4" })
  expect(await between.isSuppressed("acc_4", "moved@rotated.test")).toBe(false)
})
