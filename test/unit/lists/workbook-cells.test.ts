import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { columnLetters, dateText, isDateFormat } from "../../../src/domain/lists/xlsx.ts"
import { recordsOf, refusalOf } from "../../support/inputs/read-table.ts"
import { incompressible, sheetRows, workbook } from "../../support/inputs/workbook.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)
const SHEET = "xl/worksheets/sheet1.xml"

function build(rows: string, parts: Readonly<Record<string, string>>): Uint8Array {
  return workbook(rows, Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, bytesOf(text)])))
}
const read = (rows: string, parts: Readonly<Record<string, string>> = {}) => recordsOf(build(rows, parts))
const refusal = async (rows: string, parts: Readonly<Record<string, string>> = {}) =>
  (await refusalOf(build(rows, parts)))?.message ?? null
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

describe("an odd cell costs at most itself:", () => {
  const parts = { "xl/sharedStrings.xml": "<sst><si><t>shared</t></si></sst>" }
  const inline = (ref: string, text: string) => `<c${ref && ` r="${ref}"`} t="inlineStr"><is><t>${text}</t></is></c>`
  const ODD: readonly (readonly [name: string, type: string, value: string, text: string])[] = [
    ["an unknown type", 't="z"', "7", "7"],
    ["an empty type", 't=""', "7", "7"],
    ["true spelled out", 't="b"', "true", "true"],
    ["TRUE in upper case", 't="b"', "TRUE", "true"],
    ["false spelled out", 't="b"', " False ", "false"],
    ["neither true nor false", 't="b"', "yes", "yes"],
    ["a shared string that does not exist", 't="s"', "7", ""],
    ["a negative shared string", 't="s"', "-1", ""],
    ["a shared string without a number", 't="s"', "x", ""],
    ["a date that is none", 't="d"', "soon", "soon"],
    ["a style that does not exist", 's="99"', "7", "7"],
    ["an inline string as a value", 't="inlineStr"', "x", "x"],
  ]
  test.each(ODD)("%s", async (_, type, value, text) => {
    const odd = (ref: string) => `<c r="${ref}" ${type}><v>${value}</v></c>`
    // In a column that is not needed, and in the column of the addresses.
    const rows = `<row>${inline("A1", "email")}${inline("B1", "note")}</row>
      <row>${inline("A2", "a@b.test")}${odd("B2")}</row><row>${odd("A3")}${inline("B3", "n")}</row>
      <row>${inline("A4", "c@d.test")}</row>`
    const row2 = text === "" ? ["a@b.test"] : ["a@b.test", text]
    expect(await read(rows, parts)).toEqual([["email", "note"], row2, [text, "n"], ["c@d.test"]])
  })

  test("cells in any order are in their columns, and rows in the order of their numbers", async () => {
    const table = Array.from({ length: 12 }, (_, r) => [..."ABCDE"].map((letter) => `${letter}${r + 1}`))
    const shuffled = <T>(items: readonly T[]) => fc.shuffledSubarray([...items], { minLength: items.length })
    await fc.assert(
      fc.asyncProperty(shuffled(table), fc.infiniteStream(fc.nat()), async (rows, keys) => {
        const mixed = (cells: readonly string[]) =>
          cells.map((cell) => ({ cell, key: keys.next().value! })).toSorted((a, b) => a.key - b.key)
        const xml = rows
          .map(
            (cells) =>
              `<row r="${cells[0]!.slice(1)}">${mixed(cells)
                .map(({ cell }) => inline(cell, cell))
                .join("")}</row>`,
          )
          .join("")
        expect(await read(xml)).toEqual(table)
      }),
      { numRuns: 40 },
    )
  })

  test.each([
    ["a row number that is malformed", `<row r="1e6">${inline("", "1")}</row><row>${inline("", "2")}</row>`],
    ["a row number twice", `<row r="3">${inline("", "1")}</row><row r="3">${inline("", "2")}</row>`],
    ["a reference in lower case", `<row>${inline("a1", "1")}</row><row>${inline("$A$2", "2")}</row>`],
    ["a malformed reference", `<row>${inline("R1C1", "1")}</row><row>${inline("?", "2")}</row>`],
    ["the last row", `<row>${inline("A1", "1")}</row><row r="1048576">${inline("A1048576", "2")}</row>`],
  ])("%s", async (_, rows) => {
    expect(await read(rows)).toEqual([["1"], ["2"]])
  })
})

describe("no limit counts rows and cells without a value:", () => {
  const list = [["name", "email"], ...Array.from({ length: 10 }, (_, n) => [`Given${n}`, `user${n}@d0301.test`])]
  const attributes = 'customFormat="false" ht="12.8" hidden="false" customHeight="true" outlineLevel="0"'
  test.each([
    ["LibreOffice's last row", "", `<row r="1048576" ${attributes}/>`],
    ["a styled cell in the last row", "", '<row r="1048576"><c r="A1048576" s="1"/></row>'],
    ["a styled cell at the end of the sheet", "", '<row r="1048576"><c r="XFD1048576" s="1"/></row>'],
    ["a styled cell at IW1", '<c r="IW1" s="1"/>', ""],
    ["a styled cell at XFD1", '<c r="XFD1" s="1"/>', ""],
    ["an empty text at XFD1", '<c r="XFD1" t="inlineStr"><is><t> </t></is></c>', ""],
    ["an error at XFD1", '<c r="XFD1" t="e"><v>#REF!</v></c>', ""],
    [
      "300 styled cells in each row",
      Array.from({ length: 300 }, (_, c) => `<c r="${columnLetters(c + 10)}1" s="1"/>`).join(""),
      "",
    ],
    ["a high row", "", '<row r="900000"><c r="B900000" s="1"/></row>'],
  ])("%s", async (_, cells, tail) => {
    expect(await read(sheetRows(list).replaceAll("</row>", `${cells}</row>`) + tail)).toEqual(list)
  })

  test.each([
    ["in column 257", '<row><c r="IW1"><v>1</v></c></row>', "may have at most 256 columns"],
    ["in the last column of many rows", '<row><c r="IV1"><v>1</v></c></row>'.repeat(20_000), "and 5000000 cells"],
  ])("a value %s counts", async (_, rows, message) => {
    const padding = Object.fromEntries(
      Object.entries(incompressible(200_000)).map(([name, bytes]) => [name, Buffer.from(bytes).toString()]),
    )
    expect(await refusal(rows, padding)).toContain(message)
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
