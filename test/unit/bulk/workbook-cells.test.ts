import { describe, expect, test } from "vitest"
import { openTable } from "../../../src/adapters/tables/open-table.ts"
import { dateText, isDateFormat } from "../../../src/domain/bulk/date-cell.ts"
import { UNSAID } from "../../support/inputs/table-file.ts"
import { workbook } from "../../support/inputs/workbook.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)
const SHEET = "xl/worksheets/sheet1.xml"

async function read(rows: string, parts: Readonly<Record<string, string>> = {}): Promise<string[][]> {
  const more = Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, bytesOf(text)]))
  const records: string[][] = []
  for await (const record of (await openTable(workbook(rows, more), UNSAID)).records) records.push([...record])
  return records
}
const refusal = (rows: string, parts: Readonly<Record<string, string>> = {}) =>
  read(rows, parts).then(
    () => null,
    (error: Error) => error.message,
  )
const row = (cells: string) => `<row r="1">${cells}</row>`

describe("a cell shows", () => {
  const strings =
    "<sst><si><t> shared </t></si><si><r><t>rich </t></r><r><rPr/><t>text</t></r><rPh><t>x</t></rPh></si></sst>"
  const styles = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/></numFmts>
    <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
    <cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="22"/><xf xfId="0"/></cellXfs></styleSheet>`
  test.each([
    ["a shared string", '<c r="A1" t="s"><v>0</v></c>', "shared"],
    ["runs of formatted text", '<c r="A1" t="s"><v>1</v></c>', "rich text"],
    ["an inline string", '<c r="A1" t="inlineStr"><is><t>a &amp; b</t></is></c>', "a & b"],
    ["a string in CDATA", '<c r="A1" t="inlineStr"><is><t><![CDATA[<a>]]></t></is></c>', "<a>"],
    ["a character that XML does not allow", '<c r="A1" t="str"><v>a_x0041_b</v></c>', "aAb"],
    ["the value of a formula", '<c r="A1" t="str"><f>"a"&amp;"b"</f><v>ab</v></c>', "ab"],
    ["a number as it is written", '<c r="A1"><v>1.50E+3</v></c>', "1.50E+3"],
    ["true", '<c r="A1" t="b"><v>1</v></c>', "true"],
    ["a date", '<c r="A1" s="1"><v>45000</v></c>', "2023-03-15"],
    ["a date and time", '<c r="A1" s="2"><v>45000.5</v></c>', "2023-03-15T12:00:00.000Z"],
    ["a date by the parent of its style", '<c r="A1" s="3"><v>45000</v></c>', "2023-03-15"],
    ["a date as text", '<c r="A1" t="d"><v>2023-03-15T00:00:00Z</v></c>', "2023-03-15"],
    ["a number beyond the last date", '<c r="A1" s="1"><v>1e300</v></c>', "1e300"],
    ["its value in a namespace", '<x:c xmlns:x="urn:x" r="A1"><x:v>7</x:v></x:c>', "7"],
  ])("%s", async (_, cell, text) => {
    const parts = { "xl/sharedStrings.xml": strings, "xl/styles.xml": styles }
    expect(await read(row(cell), parts)).toEqual([[text]])
  })

  test.each([
    ["an error", '<c r="A1" t="e"><v>#N/A</v></c>'],
    ["no value", '<c r="A1" s="1"/>'],
    ["blanks", '<c r="A1" t="inlineStr"><is><t>  </t></is></c>'],
  ])("nothing for %s", async (_, cell) => {
    expect(await read(row(cell))).toEqual([])
  })

  test("the value at its position, with and without references", async () => {
    expect(await read('<row r="2"><c r="C2"><v>1</v></c></row><row r="9"><c r="A9"><v>2</v></c></row>')).toEqual([
      ["", "", "1"],
      ["2"],
    ])
    expect(await read("<row><c><v>1</v></c><c/><c><v>2</v></c></row><row><c><v>3</v></c></row>")).toEqual([
      ["1", "", "2"],
      ["3"],
    ])
  })

  test("dates that count from 1904", async () => {
    const main = `<workbook xmlns:r="urn:r"><workbookPr date1904="1"/><sheets><sheet name="a" r:id="rId1"/></sheets></workbook>`
    const parts = { "xl/styles.xml": styles, "xl/workbook.xml": main }
    expect(await read(row('<c r="A1" s="1"><v>43538</v></c>'), parts)).toEqual([["2023-03-15"]])
    expect(dateText("0", true)).toBe("1904-01-01")
  })
})

describe("the number format", () => {
  test.each([
    ["yyyy-mm-dd", true],
    ["[h]:mm:ss", true],
    ["mm:ss.000", true],
    ['"Date: "d\\ mmm yy', true],
    ["[$-409]m/d/yy h:mm AM/PM;@", true],
    ['yyyy"年"m"月"', true],
    ["General", false],
    ["0.00", false],
    ["[Red]#,##0", false],
    ["_(* #,##0.00_)", false],
    ["0%", false],
    ["@", false],
    ["", false],
    [`yyyy${" ".repeat(300)}`, false],
  ])("%j shows a date: %s", (format, isDate) => {
    expect(isDateFormat(164, format)).toBe(isDate)
  })

  test.each([
    [14, true],
    [22, true],
    [47, true],
    [0, false],
    [23, false],
    [49, false],
  ])("%d, which is built in, shows a date: %s", (id, isDate) => {
    expect(isDateFormat(id, undefined)).toBe(isDate)
  })
})

describe("a refusal names the problem", () => {
  const sheet = (xml: string) => ({ [SHEET]: xml })
  test.each([
    ["a row out of order", '<row r="2"/><row r="1"/>', {}, "sheet 1 of the workbook has row 1 after row 2"],
    ["cells out of order", row('<c r="B1"/><c r="A1"/>'), {}, "has cells out of order in row 1"],
    [
      "an unknown shared string",
      row('<c r="A1" t="s"><v>7</v></c>'),
      {},
      "column 1 of row 1 in sheet 1 of the workbook names a shared string",
    ],
    [
      "an unknown type",
      row('<c r="A1" t="z"><v>7</v></c>'),
      {},
      "column 1 of row 1 in sheet 1 of the workbook is of an unknown type",
    ],
    ["elements nested too deep", "<a>".repeat(200), {}, "sheet 1 of the workbook has elements nested deeper than 100"],
    [
      "a comment without an end",
      `<!--${"x".repeat(400_000)}`,
      {},
      "sheet 1 of the workbook has a tag, text or comment of more than 262144 characters",
    ],
    [
      "a text without an end",
      "",
      sheet(`<a>${"&amp;".repeat(80_000)}`),
      "has a tag, text or comment of more than 262144 characters",
    ],
    [
      "one cell with many texts",
      row(`<c r="A1" t="inlineStr"><is>${"<t>abcdefgh</t>".repeat(40_000)}</is></c>`),
      {},
      "a cell of a workbook may hold at most 262144 characters",
    ],
    [
      "a tag that is not closed",
      "",
      sheet("<worksheet>\n<sheetData>"),
      "sheet 1 of the workbook is not well-formed XML at line 2, column 11: unclosed tag: sheetData",
    ],
    ["an entity", row('<c r="A1" t="inlineStr"><is><t>&x;</t></is></c>'), {}, "undefined entity"],
    [
      "shared strings",
      "",
      { "xl/sharedStrings.xml": "<sst><si>" },
      "the list of shared strings of the workbook is not well-formed XML",
    ],
    ["styles", "", { "xl/styles.xml": "<<" }, "the list of styles of the workbook is not well-formed XML"],
    ["sheets", "", { "xl/workbook.xml": "x" }, "the list of sheets of the workbook is not well-formed XML"],
    [
      "relationships",
      "",
      { "xl/_rels/workbook.xml.rels": "" },
      "the list of relationships of the workbook is not well-formed XML",
    ],
  ])("%s", async (_, rows, parts, message) => {
    expect(await refusal(rows, parts)).toContain(message)
  })

  test("a sheet that is not in the file", async () => {
    const links = `<Relationships><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="gone.xml"/></Relationships>`
    expect(await refusal("", { "xl/_rels/workbook.xml.rels": links })).toBe(
      "sheet 1 of the workbook is missing in the file",
    )
  })
})
