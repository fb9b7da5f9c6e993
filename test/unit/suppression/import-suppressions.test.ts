import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createKvReader } from "../../../src/adapters/cache.ts"
import { TABLES } from "../../../src/adapters/lists/tables.ts"
import { createReceiverStore } from "../../../src/adapters/store/suppression/receivers.ts"
import { createSuppressionStore } from "../../../src/adapters/store/suppression/suppression.ts"
import { createFlagCache } from "../../../src/adapters/suppression/flag-cache.ts"
import { createDigests } from "../../../src/domain/accounts/crypto.ts"
import { parseAddress, type ValidAddress } from "../../../src/domain/address/parse.ts"
import { importSuppressions } from "../../../src/services/suppression/import-suppressions.ts"
import { checkSuppression } from "../../../src/services/suppression/suppression-list.ts"
import { reading, testContext } from "../../support/deps/context.ts"
import { memoryKv } from "../../support/deps/memory-kv.ts"
import { ownNumber } from "../../support/deps/own-number.ts"
import { tableFile } from "../../support/inputs/table-file.ts"
import { startDatabase } from "../../support/stack/database.ts"

const DAY_MS = 86_400_000
const START = Date.UTC(2026, 10, 21)

let database: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

/** The list of an account of its own. */
async function service() {
  const clock = { now: () => START, sleep: async () => undefined }
  const { kv } = memoryKv()
  const opened = database.open()
  const ctx = testContext({
    ...reading(clock),
    tables: TABLES,
    digests: await createDigests(["p".repeat(32)]),
    flags: createFlagCache(kv, createKvReader(kv), clock.now),
    store: { suppressions: createSuppressionStore(opened), receivers: createReceiverStore(opened) },
  })
  const by = {
    caller: { kind: "admin" },
    list: `acc_${ownNumber()}`,
    defaults: { reason: "manual", source: null },
  } as const
  return {
    take: (rows: readonly string[], column: string | null = null) =>
      importSuppressions(ctx, { ...tableFile(rows.join("\n"), { column }), ...by }),
    entryOf: async (email: string) => {
      const [found] = await checkSuppression(ctx, by.list, parseAddress(email) as ValidAddress)
      return found?.suppression ?? null
    },
  }
}

describe("the end in a row of a CSV", () => {
  const iso = (ms: number) => new Date(START + ms).toISOString()
  async function takeEnds(...rows: string[]) {
    const { take, entryOf } = await service()
    const { rejected } = await take(["email,expires_at,expires_in_days", ...rows])
    return { rejected, end: (await entryOf("a@mailbox.test"))?.expiresAt }
  }

  test.each([
    ["none is permanent", ",", null],
    ["days from now", ",30", START + 30 * DAY_MS],
    ["a time, as exported", `${iso(1)},`, START + 1],
    ["a time at the limit for days", `${iso(3_650 * DAY_MS)},`, START + 3_650 * DAY_MS],
  ])("%s", async (_, cells, end) => {
    expect(await takeEnds(`a@mailbox.test,${cells}`)).toEqual({ rejected: [], end })
  })

  test.each([
    ["is over", `${iso(0)},`, "expires_at is in the past"],
    ["is not a date", "soon,", "expires_at is not an unambiguous date"],
    ["is too far away", `${iso(3_650 * DAY_MS + 1)},`, "expires_at must be within 3650 days"],
    ["is given twice", `${iso(DAY_MS)},30`, "expires_at and expires_in_days exclude each other; send one"],
  ])("%s: the row is rejected", async (_, cells, reason) => {
    const { rejected, end } = await takeEnds("b@mailbox.test,,", `a@mailbox.test,${cells}`)
    expect({ rejected, end }).toEqual({ rejected: [{ row: 3, reason }], end: undefined })
  })
})

describe("the column of an import", () => {
  const FROM_AND_TO = ["id,to,from", "1,ann@@mailbox.test,news@office.test", "2,bob@mailbox.test,news@office.test"]

  test("is never the one of the sender, and the answer names it", async () => {
    const { take, entryOf } = await service()
    expect(await take(FROM_AND_TO)).toMatchObject({
      ...{ added: 1, emailColumn: "to", otherAddressColumns: ["from"] },
      rejected: [{ row: 2 }],
    })
    expect([await entryOf("bob@mailbox.test"), await entryOf("news@office.test")]).toEqual([expect.anything(), null])
  })

  test("must be named when two are equal", async () => {
    const { take, entryOf } = await service()
    const rows = ["a,b", "ann@mailbox.test,bob@mailbox.test"]
    await expect(take(rows)).rejects.toMatchObject({
      ...{
        code: "bad_request",
        message: 'the columns "a" and "b" hold addresses; name the right one with email_column',
      },
    })
    expect(await take(rows, "b")).toMatchObject({ added: 1, emailColumn: "b" })
    expect([await entryOf("ann@mailbox.test"), await entryOf("bob@mailbox.test")]).toEqual([null, expect.anything()])
    await expect(take(rows, "c")).rejects.toMatchObject({ code: "bad_request" })
  })

  test("may have several addresses in a cell, and titles above", async () => {
    const { take, entryOf } = await service()
    const rows = ["Bounces of May;", ";", "Email;Note", "ann@mailbox.test, bob@mailbox.test;x", "nobody;y"]
    expect(await take(rows)).toMatchObject({ added: 2, rejected: [{ row: 5 }], skippedRows: 2 })
    expect([await entryOf("ann@mailbox.test"), await entryOf("bob@mailbox.test")]).not.toContain(null)
  })

  test("of a web page is refused by its name", async () => {
    const { take } = await service()
    await expect(take(["<html><table>", "<tr><td>ann@mailbox.test</td></tr>"])).rejects.toMatchObject({
      ...{ code: "bad_request", message: expect.stringContaining("a web page (HTML)") },
    })
  })
})
