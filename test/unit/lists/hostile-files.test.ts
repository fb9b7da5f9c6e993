import { randomBytes } from "node:crypto"
import { SaxesParser } from "saxes"
import { describe, expect, test, vi } from "vitest"
import { smallBlocks } from "../../support/inputs/deflate-blocks.ts"
import { HOSTILE_WORKBOOKS } from "../../support/inputs/hostile-workbooks.ts"
import { open, refusalOf } from "../../support/inputs/read-table.ts"
import { incompressible, sheetRows, withPacked, workbook } from "../../support/inputs/workbook.ts"
import { turnsOf } from "../../support/time/turns.ts"

async function read(bytes: Uint8Array): Promise<number> {
  let records = 0
  for await (const _ of (await open(bytes)).records) records++
  return records
}

const list = (addresses: number) => sheetRows(Array.from({ length: addresses }, (_, n) => [`user${n}@x.test`]))

describe("of a workbook built to block the thread only the part before its fault is parsed", () => {
  test.each(HOSTILE_WORKBOOKS)("$name", async ({ bytes, refusal: expected }) => {
    const parser = vi.spyOn(SaxesParser.prototype, "write")
    try {
      expect(await refusalOf(bytes())).toEqual({ code: "invalid_request", message: expect.stringContaining(expected) })
      const parsed = parser.mock.calls.reduce((sum, [text]) => sum + String(text ?? "").length, 0)
      expect(parsed).toBeLessThan(450_000)
    } finally {
      parser.mockRestore()
    }
  })
})

describe("a workbook is refused when", () => {
  const text = (value: string) => new TextEncoder().encode(value)
  const padding = incompressible(200_000)
  const long = text(`<sst><si><t>${"a".repeat(2_000)}@b.test</t></si></sst>`)
  test.each([
    [
      "it unpacks to 600 times its size",
      workbook("<row/>".repeat(1_000_000)),
      "may unpack to at most 150 times its size",
    ],
    [
      "a stored picture hides the ratio",
      workbook("<row/>".repeat(1_000_000), { "xl/media/a.png": new Uint8Array(randomBytes(400_000)) }),
      "may unpack to at most 150 times its size",
    ],
    [
      "a part that is not read hides the ratio",
      workbook("<row/>".repeat(1_000_000), { "xl/drawing.xml": padding["xl/styles.xml"]! }),
      "may unpack to at most 150 times its size",
    ],
    [
      "it has too many rows without a value",
      workbook("<row/>".repeat(1_048_576), padding),
      "sheet 1 of the workbook has more than 100000 rows without a value",
    ],
    [
      "it has too many cells without a value",
      workbook(`<row>${"<c/>".repeat(250)}</row>`.repeat(9_000), padding),
      "sheet 1 of the workbook has more than",
    ],
    [
      "its cells repeat a long text",
      workbook('<row><c t="s"><v>0</v></c></row>'.repeat(25_000), { "xl/sharedStrings.xml": long }),
      "the cells of a file may hold at most 40000000 characters",
    ],
    [
      "it has too many shared strings",
      workbook("", { "xl/sharedStrings.xml": text(`<sst>${"<si/>".repeat(1_300_000)}</sst>`), ...padding }),
      "a workbook may have at most 1200000 shared strings",
    ],
  ])("%s", async (_, bytes, expected) => {
    const parser = vi.spyOn(SaxesParser.prototype, "write")
    try {
      expect(await refusalOf(bytes)).toEqual({ code: "list_too_large", message: expect.stringContaining(expected) })
      const parsed = parser.mock.calls.reduce((sum, [text]) => sum + String(text ?? "").length, 0)
      expect(parsed).toBeLessThan(8_000_000)
    } finally {
      parser.mockRestore()
    }
  })
})

describe("a workbook is read when it has below its list", () => {
  const list = sheetRows([["email"], ["a@b.test"]])
  const tail = (count: number, row: (number: number) => string) =>
    workbook(list + Array.from({ length: count }, (_, n) => row(n + 3)).join(""))
  test.each([
    ["90,000 formatted rows", tail(90_000, (n) => `<row r="${n}" s="5" customFormat="1" ht="15.75"/>`)],
    [
      "200,000 formatted cells",
      tail(20_000, (n) => `<row r="${n}">${[..."ABCDEFGHIJ"].map((c) => `<c r="${c}${n}" s="12"/>`).join("")}</row>`),
    ],
  ])("%s", async (_, bytes) => {
    expect(await read(bytes)).toBe(2)
  })
})

// A decoder that builds its tables for every block needs two minutes. This one needs about two seconds.
test("the largest compressed file of small blocks is read in time", async () => {
  const blocks = 600_000
  const { message } = (await refusalOf(withPacked("xl/sharedStrings.xml", smallBlocks(blocks), blocks)))!
  expect(message).toContain("the list of shared strings of the workbook is not well-formed XML")
})

describe("reading a file lets other requests run after a bounded part of it", () => {
  const bytesOf = (text: string) => new TextEncoder().encode(text)
  const shared = bytesOf(`<sst><si><t>${"\u200b".repeat(1_900)}@</t></si></sst>`)
  const oneString = `<row>${'<c t="s"><v>0</v></c>'.repeat(40)}</row>`.repeat(60)
  test.each([
    ["a workbook", workbook(list(20_000)), 30],
    ["a workbook of empty tags", workbook("<a/>".repeat(300_000), incompressible(20_000)), 20],
    ["a workbook that repeats a long text", workbook(oneString, { "xl/sharedStrings.xml": shared }), 60],
    [
      "a workbook with a large packed file",
      workbook("", {
        "xl/sharedStrings.xml": bytesOf(`<sst>${"<si/>".repeat(1_000_000)}</sst>`),
        ...incompressible(50_000),
      }),
      10,
    ],
    ["a CSV", bytesOf("name,email\nAnn,ann@x.test\n".repeat(60_000)), 20],
    ["a CSV of blank lines", bytesOf("\n".repeat(2_000_000)), 30],
    ["a CSV of invisible characters", bytesOf(`${"\u200b".repeat(1_900)}@\n`.repeat(700)), 60],
    ["a list of one address a line", bytesOf("user@mailbox.test\n".repeat(80_000)), 20],
  ])("%s", async (_, bytes, turns) => {
    expect(await turnsOf(() => read(bytes))).toBeGreaterThanOrEqual(turns)
  })
})
