import { SaxesParser } from "saxes"
import { describe, expect, test, vi } from "vitest"
import { openTable } from "../../../src/adapters/tables/open-table.ts"
import { smallBlocks } from "../../support/inputs/deflate-blocks.ts"
import { HOSTILE_WORKBOOKS } from "../../support/inputs/hostile-workbooks.ts"
import { sheetRows, withPacked, workbook } from "../../support/inputs/workbook.ts"
import { turnsOf } from "../../support/time/turns.ts"

async function read(bytes: Uint8Array): Promise<number> {
  let records = 0
  for await (const _ of (await openTable(bytes, false)).records) records++
  return records
}
const refusal = (bytes: Uint8Array) =>
  read(bytes).then(
    () => null,
    ({ code, message }: Error & { code?: string }) => ({ code, message }),
  )

const list = (addresses: number) => sheetRows(Array.from({ length: addresses }, (_, n) => [`user${n}@x.test`]))

describe("of a workbook built to block the thread only the part before its fault is parsed", () => {
  test.each(HOSTILE_WORKBOOKS)("$name", async ({ bytes, refusal: expected }) => {
    const parser = vi.spyOn(SaxesParser.prototype, "write")
    try {
      expect(await refusal(bytes())).toEqual({ code: "invalid", message: expect.stringContaining(expected) })
      const parsed = parser.mock.calls.reduce((sum, [text]) => sum + String(text ?? "").length, 0)
      expect(parsed).toBeLessThan(300_000)
    } finally {
      parser.mockRestore()
    }
  })
})

// A decoder that builds its tables for every block needs two minutes. This one needs about two seconds.
test("the largest compressed file of small blocks is read in time", async () => {
  const blocks = 600_000
  expect(await read(withPacked("xl/theme.xml", smallBlocks(blocks), blocks))).toBe(0)
})

describe("reading a file lets other requests run after a bounded part of it", () => {
  const bytesOf = (text: string) => new TextEncoder().encode(text)
  const shared = bytesOf(`<sst><si><t>${"\u200b".repeat(1_900)}@</t></si></sst>`)
  const oneString = `<row>${'<c t="s"><v>0</v></c>'.repeat(40)}</row>`.repeat(60)
  test.each([
    ["a workbook", workbook(list(20_000)), 30],
    ["a workbook of empty tags", workbook("<a/>".repeat(300_000)), 20],
    ["a workbook that repeats a long text", workbook(oneString, { "xl/sharedStrings.xml": shared }), 60],
    ["a workbook with a large packed file", workbook("", { "xl/theme.xml": new Uint8Array(19_000_000) }), 10],
    ["a CSV", bytesOf("name,email\nAnn,ann@x.test\n".repeat(60_000)), 20],
    ["a CSV of blank lines", bytesOf("\n".repeat(2_000_000)), 30],
    ["a CSV of invisible characters", bytesOf(`${"\u200b".repeat(1_900)}@\n`.repeat(700)), 60],
    ["a list of one address a line", bytesOf("user@mailbox.test\n".repeat(80_000)), 20],
  ])("%s", async (_, bytes, turns) => {
    expect(await turnsOf(() => read(bytes))).toBeGreaterThanOrEqual(turns)
  })
})
