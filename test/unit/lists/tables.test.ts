import { parse } from "csv-parse/sync"
import fc from "fast-check"
import { SaxesParser } from "saxes"
import { describe, expect, test, vi } from "vitest"
import { csvLine, restoredCell } from "../../../src/domain/lists/download.ts"
import { addressInCell } from "../../../src/domain/lists/list-addresses.ts"
import { TABLE_LIMITS } from "../../../src/domain/lists/uploaded-file.ts"
import { open, recordsOf, refusalOf } from "../../support/inputs/read-table.ts"
import { bombWorkbook, incompressible, sheetRows, workbook, workbookOf } from "../../support/inputs/workbook.ts"
import { turnsOf } from "../../support/time/turns.ts"

const bytesOf = (text: string, encoding: BufferEncoding = "utf8") => new Uint8Array(Buffer.from(text, encoding))
const read = (bytes: Uint8Array, isText = false) => recordsOf(bytes, { isText })
const refusal = async (bytes: Uint8Array) => (await refusalOf(bytes))?.code ?? null

describe("a line of the download", () => {
  const cell = fc.string({ unit: fc.constantFrom(..."ab,;\"'\r\n\t=+-@ é") })

  test("is read back unchanged, except for apostrophes before possible formulas", () => {
    fc.assert(
      fc.property(fc.array(cell, { minLength: 2, maxLength: 5 }), (cells) => {
        const [read = []] = parse(csvLine(cells)) as string[][]
        expect(read.map(restoredCell)).toEqual(cells)
      }),
    )
  })

  test.each([
    ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
    ["+49 30 1", `"'+49 30 1"`],
    ["-2+3", `"'-2+3"`],
    ["@SUM(A1)", `"'@SUM(A1)"`],
    ["\t=1", `"'\t'=1"`],
    ["\r=1", `"'\r'=1"`],
    ["＝1", `"'＝1"`],
    ["a,b", '"a,b"'],
    ["plain", "plain"],
    [12, "12"],
    [-3, "-3"],
    [true, "true"],
    [null, ""],
  ])("%j is written %s", (given, written) => {
    expect(csvLine([given])).toBe(`${written}\r\n`)
  })
})

describe("a CSV", () => {
  test("is read back with any delimiter, line end and encoding", async () => {
    // No word of a language that Windows-1252 has holds three of them in a row.
    const word = fc
      .string({ unit: fc.constantFrom(...'abcé ,;|"\n'), minLength: 1, maxLength: 8 })
      .filter((text) => text.trim() !== "" && !text.includes("ééé"))
    const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(word, word, word), { minLength: 3, maxLength: 30 }),
        fc.constantFrom(",", ";", "\t", "|"),
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.constantFrom<BufferEncoding>("utf8", "utf16le", "latin1"),
        fc.boolean(),
        async (records, delimiter, end, encoding, mark) => {
          const text = records.map((record) => record.map(quote).join(delimiter)).join(end)
          const bom = mark && encoding !== "latin1" ? "\ufeff" : ""
          expect(await read(bytesOf(bom + text, encoding))).toEqual(records)
        },
      ),
      // Quoted commas can also be delimiters around quoted line ends.
      {
        numRuns: 60,
        examples: [
          [
            [
              ["a", "a", ","],
              ["a", "a", ","],
              ["a", "a\n", ","],
            ],
            "\t",
            "\n",
            "utf8",
            false,
          ],
        ],
      },
    )
  })

  test("with uneven, blank and loosely quoted records is read", async () => {
    expect(await read(bytesOf('a,b\n\n1\n2,3,4\nx"y,z\n5,6\n'))).toEqual([
      ["a", "b"],
      ["1"],
      ["2", "3", "4"],
      ['x"y', "z"],
      ["5", "6"],
    ])
  })

  test("cut at any position never hangs and fails only with a known error", async () => {
    const text = 'name;email\n"a ""b"" c";x@y.test\n"multi\nline";é@z.test\n'
    for (let cut = 0; cut <= text.length; cut++) {
      const code = await refusal(bytesOf(text.slice(0, cut)))
      expect([null, "invalid_request"]).toContain(code)
    }
  })

  test("of any bytes gives records or a refusal", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        expect([null, "invalid_request", "list_too_large"]).toContain(await refusal(bytes))
      }),
      { numRuns: 200 },
    )
  })

  test("as a text file is not split at commas", async () => {
    expect(await read(bytesOf("Doe, J <a@b.test>\nRoe, K <c@d.test>\n"), true)).toEqual([
      ["Doe, J <a@b.test>"],
      ["Roe, K <c@d.test>"],
    ])
  })

  test.each([
    ["sep=;\r\nname;email\r\nA, B;a@b.test\r\n", false],
    ["\ufeffsep=;\nname;email\nA, B;a@b.test\n", false],
    ['"sep=;"\nname;email\nA, B;a@b.test\n', false],
    ["Sep=;\nname;email\nA, B;a@b.test\n", true],
  ])("is split by the delimiter that its first line declares: %j", async (text, isText) => {
    expect((await open(bytesOf(text), { isText })).delimiter).toBe(";")
    expect(await read(bytesOf(text), isText)).toEqual([
      ["name", "email"],
      ["A, B", "a@b.test"],
    ])
  })

  test("with a space before its quotes preserves them, and the address is read without them", async () => {
    const [, record] = await read(bytesOf('name, email\nA, "alice@mailbox.test"\n'))
    expect(record).toEqual(["A", ' "alice@mailbox.test"'])
    expect(addressInCell(record![1]!)).toBe("alice@mailbox.test")
  })
})

describe("a workbook", () => {
  test("gives cells and numbers as text, without blank rows", async () => {
    const rows = sheetRows([
      ["Email", "Phone"],
      ["a@b.test", 491_701_234_567],
    ])
    const formula = '<row r="9"><c r="A9" t="str"><f>A2</f><v>c@d.test</v></c><c r="B9" t="b"><v>1</v></c></row>'
    expect(await read(workbook(rows + formula))).toEqual([
      ["Email", "Phone"],
      ["a@b.test", "491701234567"],
      ["c@d.test", "true"],
    ])
  })

  const prose = [["Read me"], ["How to use this email list"], ["Questions? Write to help@b.test."]]
  const contacts = [
    ["Name", "Email"],
    ["Ann", "a@b.test"],
  ]
  const named = [
    ["Id", "Email"],
    ["1", "?"],
  ]
  const numbers = [
    ["x", "y"],
    ["1", "2"],
  ]
  test.each([
    ["prose before addresses", [prose, contacts], contacts],
    ["two with addresses", [contacts, [["c@d.test"]]], contacts],
    ["a name only before addresses", [named, contacts], contacts],
    ["one column before a name", [[["broken"], ["worse"]], named], named],
    ["no sheet with addresses or names", [numbers, numbers.toReversed()], numbers],
    ["blank rows first", [prose, [...Array<string[]>(150).fill([]), ...contacts]], contacts],
  ])("with several sheets gives the sheet with addresses: %s", async (_, sheets, expected) => {
    expect(await read(workbookOf(sheets.map(sheetRows)))).toEqual(expected)
  })

  // A search for blanks at an end from each of them would take ten minutes.
  test("with cells full of blanks takes linear time", async () => {
    const cell = `a${" ".repeat(150_000)}@b.test`
    const rows = sheetRows([["email"], ...Array(100).fill([cell])])
    expect(await read(workbook(rows, incompressible(200_000)))).toHaveLength(101)
  })

  const far = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
  const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`xl/media/${n}.png`, new Uint8Array(1)]))
  const entity = workbook("").length
  test.each([
    ["that unpacks to 300 MB", bombWorkbook(), "list_too_large"],
    ["that declares an unpacked size of 21 MB", workbook(" ".repeat(21_000_000)), "list_too_large"],
    ["with a single distant cell", workbook(far), "list_too_large"],
    ["with more than 10,000 parts", workbook("", many), "list_too_large"],
    ["cut short", workbook(sheetRows([["a@b.test"]])).slice(0, entity / 2), "invalid_request"],
    ["that is another archive", new Uint8Array([0x50, 0x4b, 3, 4, ...new Uint8Array(2_000)]), "invalid_request"],
  ])("%s is refused before its cells are read", async (_, bytes, code) => {
    const parser = vi.spyOn(SaxesParser.prototype, "write")
    try {
      expect(await refusal(bytes)).toBe(code)
      const parsed = parser.mock.calls.reduce((sum, [text]) => sum + String(text ?? "").length, 0)
      expect(parsed).toBeLessThan(2_000)
    } finally {
      parser.mockRestore()
    }
  })

  test("with custom entities does not expand them", async () => {
    const rows = '<row r="1"><c r="A1" t="inlineStr"><is><t>&x;@b.test</t></is></c></row>'
    const text = (await read(workbook(rows)).catch(() => [])).flat().join()
    expect(text).not.toContain("root:")
  })
})

test("a file above the limit, or with an unclosed quote of many megabytes, is refused at once", async () => {
  const openQuote = (bytes: number) => bytesOf(`a,b\n"${"x".repeat(bytes)}`)
  expect(await refusal(new Uint8Array(TABLE_LIMITS.bytes + 1).fill(97))).toBe("list_too_large")
  const turns = await turnsOf(async () => expect(await refusal(openQuote(15_000_000))).toBe("invalid_request"))
  expect(turns).toBeLessThan(TABLE_LIMITS.recordLength / 65_536 + 5)
})
