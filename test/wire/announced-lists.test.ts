import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { createKvReader } from "../../src/adapters/cache/kv-reader.ts"
import { createSuppressionStore } from "../../src/adapters/store/suppression.ts"
import { parseAddress, type ValidAddress } from "../../src/domain/address/parse.ts"
import { OPERATOR_LIST } from "../../src/domain/suppression/suppression.ts"
import { announceLists } from "../../src/services/suppression/announce-lists.ts"
import { fillMarks } from "../../src/services/suppression/fill-marks.ts"
import { findStandingAtEdge } from "../../src/services/suppression/find-standing.ts"
import { suppress } from "../../src/services/suppression/suppress.ts"
import { startDatabase } from "../support/database.ts"
import { memoryKv } from "../support/memory-kv.ts"
import { DIGESTS } from "../support/planted-person.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

/** Longer than an isolate remembers anything. */
const LATER_MS = 60_000
const address = (email: string) => parseAddress(email) as ValidAddress

test("an edge that has lost everything asks the database about lists with entries, until it has them again", async () => {
  let now = 1_000_000
  const clock = { now: () => now, sleep: async () => undefined }
  const { kv, entries, operations } = memoryKv()
  // What the isolate remembers is its own: another file's clock may be ahead of this one's.
  vi.resetModules()
  const { createMarkCache } = await import("../../src/adapters/cache/mark-cache.ts")
  const marks = createMarkCache(kv, createKvReader(kv), clock.now)
  const needs = { clock, digests: DIGESTS, suppressions: createSuppressionStore(server.open()), marks }
  const lists = [OPERATOR_LIST, ...Array.from({ length: 1_100 }, (_, n) => `acc_${n}`)]
  await server.open().run(sql`INSERT INTO address_feedback (account_id, address_hash, received_at)
    SELECT value, 'hash', 1 FROM json_each(${JSON.stringify(lists)})`)
  for (const list of [OPERATOR_LIST, "acc_7"])
    await suppress(needs, list, [
      { address: address(`of-${list.length}@mailbox.test`), reason: "manual", source: null, end: null },
    ])
  const [ofOperator, ofAccount] = [`of-${OPERATOR_LIST.length}@mailbox.test`, "of-5@mailbox.test"]
  const standing = (email: string, accountId: string | null) => {
    now += LATER_MS
    return findStandingAtEdge(needs, { accountId, address: address(email) })
  }
  entries.clear()
  expect(await standing(ofAccount, "acc_7")).toMatchObject({ isSuppressed: false })

  now += LATER_MS
  await announceLists(needs)
  expect(await standing(ofAccount, "acc_7")).toBeNull()
  expect(await standing(ofAccount, "acc_999")).toBeNull()
  expect(await standing(ofOperator, null)).toMatchObject({ isSuppressed: true })
  expect(await standing(ofOperator, "acc_without")).toMatchObject({ isSuppressed: true })
  await fillMarks(needs, "acc_7")
  expect(await standing(ofAccount, "acc_7")).toMatchObject({ isSuppressed: true })

  now += LATER_MS
  operations.length = 0
  await announceLists(needs)
  expect(operations.filter((one) => one.startsWith("put"))).toEqual([])
})
