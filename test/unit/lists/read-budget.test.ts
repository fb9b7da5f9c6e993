import { describe, expect, test } from "vitest"
import type { ReadWork } from "../../../src/adapters/lists/read-limits.ts"
import type { Context } from "../../../src/context.ts"
import type { Member } from "../../../src/domain/accounts/caller.ts"
import { FREE_WORK } from "../../../src/domain/accounts/free-work.ts"
import { groupMailboxes, previewList } from "../../../src/services/lists/inspect-list.ts"
import { inReadSlot, type ReadBudget } from "../../../src/services/lists/read-table.ts"
import { importSuppressions } from "../../../src/services/suppression/import-suppressions.ts"
import { reading, testContext } from "../../support/deps/context.ts"
import { tableFile } from "../../support/inputs/table-file.ts"
import { incompressible, workbook } from "../../support/inputs/workbook.ts"

const MINUTE_BYTES = FREE_WORK.readBytes.limit * FREE_WORK.readBytes.unit
const MINUTE_ROWS = FREE_WORK.readRows.limit * FREE_WORK.readRows.unit
const refused = { code: "free_work_exceeded", retryAfterSeconds: 60 }

function caller(subject = "acc_1"): Member {
  const allowance = { perMinute: null, perMonth: null }
  return { kind: "member", accountId: subject, keyId: null, email: null, tier: "free", subject, allowance }
}

function service(): { ctx: Context; clock: { time: number } } {
  const clock = { time: 0, now: () => clock.time, sleep: async () => undefined }
  return { ctx: testContext(reading(clock)), clock }
}

const read = (ctx: Context, work: ReadWork, more: (budget: ReadBudget) => void = () => undefined) =>
  inReadSlot(ctx, caller(), async (budget) => {
    more(budget)
    await budget.add(work)
  })

describe("what a caller may read for free in a minute", () => {
  test.each<[string, ReadWork]>([
    ["bytes", { bytes: MINUTE_BYTES }],
    ["characters of cells beyond the bytes", { bytes: 10, characters: MINUTE_BYTES }],
    ["rows", { rows: MINUTE_ROWS }],
  ])("%s", async (_, all) => {
    const { ctx, clock } = service()
    await read(ctx, all)
    await expect(read(ctx, {})).rejects.toMatchObject(refused)
    await inReadSlot(ctx, caller("acc_2"), (budget) => budget.add(all))
    clock.time += 60_000
    await read(ctx, all)
  })

  test("ends a file in the middle", async () => {
    const { ctx } = service()
    const [piece, pieces] = [1_000_000, 2 * (MINUTE_BYTES / 1_000_000)]
    let done = 0
    const reading = inReadSlot(ctx, caller(), async (budget) => {
      for (; done < pieces; done++) await budget.add({ bytes: piece })
    })
    await expect(reading).rejects.toMatchObject(refused)
    expect(done * piece).toBe(MINUTE_BYTES)
  })
})

describe("a list that credits pay for", () => {
  const credits = 10_000
  const list = { bytes: 20_000_000, rows: 100_000 }

  test("is not limited, however many of them follow", async () => {
    const { ctx } = service()
    for (let n = 0; n < 10; n++)
      await read(ctx, list, (budget) => {
        budget.defer(credits)
        budget.pay(credits)
      })
  })

  test("counts when it fails at its end, so that the next one but one is refused", async () => {
    const { ctx } = service()
    const fail = () =>
      inReadSlot(ctx, caller(), async (budget) => {
        budget.defer(credits)
        await budget.add(list)
        throw new Error("the last row is broken")
      })
    await expect(fail()).rejects.toThrow("broken")
    await expect(fail()).rejects.toThrow("broken")
    await expect(fail()).rejects.toMatchObject(refused)
  })

  test("counts what its addresses do not pay for", async () => {
    const { ctx } = service()
    const junk = (budget: ReadBudget) => {
      budget.defer(credits)
      budget.pay(1)
    }
    await read(ctx, list, junk)
    await read(ctx, list, junk)
    await expect(read(ctx, list, junk)).rejects.toMatchObject(refused)
  })
})

test("while too many files of an account wait, a further one is refused with the time to wait", async () => {
  const { ctx } = service()
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const files = [1, 2, 3].map(() => inReadSlot(ctx, caller(), () => held))
  await expect(read(ctx, {})).rejects.toMatchObject({
    code: "rate_limited",
    retryAfterSeconds: 5,
    message: "other files of this account are being read; send one file at a time; retry in 5 seconds",
  })
  release()
  await Promise.all(files)
})

describe("a caller with a rest of the budget is refused by every reader of files and lists that exceeds it:", () => {
  const text = (value: string) => new TextEncoder().encode(value)
  const preview = (bytes: Uint8Array) => (ctx: Context) => previewList(ctx, caller(), tableFile(bytes, { column: "1" }))
  const strings = { "xl/sharedStrings.xml": text(`<sst>${"<si/>".repeat(240_000)}</sst>`), ...incompressible(20_000) }
  const suppressions = { ...tableFile(`email\n${" \n".repeat(600_000)}`), list: "x" }
  test.each<[string, (ctx: Context) => Promise<unknown>]>([
    ["a preview of a CSV", preview(text(`a\n${`${"b".repeat(999)}\n`.repeat(1_200)}`))],
    ["a preview of many rows", preview(text("a\n".repeat(12_000)))],
    ["a preview of a workbook", preview(workbook("<row><c><v>1</v></c></row>", strings))],
    ["a preview of rows without a value", preview(workbook("<row/>".repeat(12_000)))],
    [
      "a list to group by mailbox",
      (ctx) =>
        groupMailboxes(ctx, { caller: caller(), emails: Array.from({ length: 1_200 }, () => "a".repeat(1_000)) }),
    ],
    [
      "an import of suppressions",
      (ctx) =>
        importSuppressions(ctx, {
          ...{ caller: caller(), ...suppressions },
          defaults: { reason: "manual", source: null },
        }),
    ],
  ])("%s", async (_, work) => {
    const { ctx } = service()
    await read(ctx, { bytes: MINUTE_BYTES - 1_000_000, rows: MINUTE_ROWS - 10_000 })
    await expect(work(ctx)).rejects.toMatchObject(refused)
  })
})
