import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { createKvReader } from "../../src/adapters/cache.ts"
import { createSuppressionStore } from "../../src/adapters/store/suppression/suppression.ts"
import { parseAddress, type ValidAddress } from "../../src/domain/address/parse.ts"
import { OPERATOR_LIST } from "../../src/domain/suppression/suppression.ts"
import { copyFlags, publishListChanges } from "../../src/services/suppression/flags.ts"
import { suppress } from "../../src/services/suppression/suppression-list.ts"
import { testContext } from "../support/deps/context.ts"
import { memoryKv } from "../support/deps/memory-kv.ts"
import { startDatabase } from "../support/stack/database.ts"
import { flagsAtEdge } from "../support/stack/flags-at-edge.ts"
import { DIGESTS } from "../support/stack/planted-person.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

/** Longer than an isolate's memory. */
const LATER_MS = 60_000
const address = (email: string) => parseAddress(email) as ValidAddress

test("an empty edge reads suppressions of accounts with entries from the database, until they are copied again", async () => {
  let now = 1_000_000
  const clock = { now: () => now, sleep: async () => undefined }
  const { kv, entries, operations } = memoryKv()
  // A new module instance, because another file's clock may be ahead in the isolate's memory.
  vi.resetModules()
  const { createFlagCache } = await import("../../src/adapters/suppression/flag-cache.ts")
  const flags = createFlagCache(kv, createKvReader(kv), clock.now)
  const ctx = testContext({
    clock,
    digests: DIGESTS,
    flags,
    store: { suppressions: createSuppressionStore(server.open()) },
  })
  const lists = [OPERATOR_LIST, ...Array.from({ length: 1_100 }, (_, n) => `acc_${n}`)]
  await server.open().run(sql`INSERT INTO address_feedback (account_id, address_hash, received_at)
    SELECT value, 'hash', 1 FROM json_each(${JSON.stringify(lists)})`)
  for (const list of [OPERATOR_LIST, "acc_7"])
    await suppress(ctx, list, [
      { address: address(`of-${list.length}@mailbox.test`), reason: "manual", source: null, end: null },
    ])
  const [ofOperator, ofAccount] = [`of-${OPERATOR_LIST.length}@mailbox.test`, "of-5@mailbox.test"]
  const accountFlags = (email: string, accountId: string | null) => {
    now += LATER_MS
    return flagsAtEdge(ctx, { accountId, address: address(email) })
  }
  entries.clear()
  expect(await accountFlags(ofAccount, "acc_7")).toMatchObject({ isSuppressed: false })

  now += LATER_MS
  await publishListChanges(ctx)
  expect(await accountFlags(ofAccount, "acc_7")).toBeNull()
  expect(await accountFlags(ofAccount, "acc_999")).toBeNull()
  expect(await accountFlags(ofOperator, null)).toMatchObject({ isSuppressed: true })
  expect(await accountFlags(ofOperator, "acc_without")).toMatchObject({ isSuppressed: true })
  await copyFlags(ctx, "acc_7")
  expect(await accountFlags(ofAccount, "acc_7")).toMatchObject({ isSuppressed: true })

  now += LATER_MS
  operations.length = 0
  await publishListChanges(ctx)
  expect(operations.filter((one) => one.startsWith("put"))).toEqual([])
})
