import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { openTable } from "../../../src/adapters/lists/tables.ts"
import { countAddresses } from "../../../src/domain/lists/find-columns.ts"
import { NO_OPTIONS, open, recordsOf, refusalOf } from "../../support/inputs/read-table.ts"
import { type Sheet, workbookPackage } from "../../support/inputs/workbook-package.ts"

const addresses = (count: number, word: string) => Array.from({ length: count }, (_, n) => `${word}${n}@d0302.test`)
/** A sheet named after its addresses. Each row has one, below a header. */
function list(count: number, name: string, state: Sheet["state"] = "visible", column = "email"): Sheet {
  return { name, state, rows: [["id", column], ...addresses(count, name.toLowerCase()).map((email) => ["1", email])] }
}
const COVER: Sheet = { name: "Cover", rows: [["Customer list"], ["Questions: help@d0302.test"], ["help@d0302.test"]] }
const NUMBERS: Sheet = {
  name: "Numbers",
  rows: [
    ["x", "y"],
    [1, 2],
  ],
}
const WIDE: Sheet = {
  name: "Wide",
  rows: ["w1@d0302.test", "w2@d0302.test"]
    .map((email) => `<row><c t="str"><v>${email}</v></c>${"<c><v>1</v></c>".repeat(300)}</row>`)
    .join(""),
}
const BROKEN: Sheet = { name: "Broken", rows: "<row><c></row>" }

async function chosen(sheets: readonly Sheet[], options: { sheet?: string; column?: string } = {}) {
  const { sheet, otherSheets } = await open(workbookPackage(sheets), options)
  return [sheet, otherSheets.map(({ name, addresses, isHidden }) => `${name} ${addresses}${isHidden ? " hidden" : ""}`)]
}

describe("the sheet that is read has the most addresses and is visible:", () => {
  test.each<[string, Sheet[], string, string[]]>([
    ["one sheet", [list(3, "A")], "A", []],
    ["a cover sheet before the list", [COVER, list(10, "A")], "A", ["Cover 1"]],
    ["a cover sheet after the list", [list(10, "A"), COVER], "A", ["Cover 1"]],
    ["two equal lists", [list(10, "A"), list(10, "B")], "A", ["B 10"]],
    ["the longer list is second", [list(3, "A"), list(10, "B")], "B", ["A 3"]],
    ["one address many times", [{ name: "Log", rows: Array(50).fill(["a@b.test"]) }, list(2, "A")], "A", ["Log 1"]],
    ["a hidden sheet before the list", [list(20, "H", "hidden"), list(2, "A")], "A", ["H 20 hidden"]],
    ["a very hidden sheet", [list(20, "H", "veryHidden"), list(2, "A")], "A", ["H 20 hidden"]],
    [
      "only hidden sheets with addresses",
      [NUMBERS, list(2, "H", "hidden"), list(3, "I", "hidden")],
      "I",
      ["H 2 hidden"],
    ],
    ["no addresses", [NUMBERS, list(0, "A"), list(0, "H", "hidden")], "A", []],
    ["no addresses and names, hidden first", [list(0, "H", "hidden"), NUMBERS], "Numbers", []],
    ["a sheet with too many columns after the list", [list(3, "A"), WIDE], "A", ["Wide 2"]],
    ["a sheet with too many columns before the list", [WIDE, list(3, "A")], "A", ["Wide 2"]],
    ["a hidden sheet that is broken", [{ ...BROKEN, state: "hidden" }, list(2, "A")], "A", []],
  ])("%s", async (_, sheets, sheet, others) => {
    expect(await chosen(sheets)).toEqual([sheet, others])
  })

  test("for any order of the sheets and any state of the others", async () => {
    const state = fc.constantFrom<Sheet["state"]>("visible", "hidden", "veryHidden")
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(8), state), { minLength: 1, maxLength: 6 }), async (drawn) => {
        const sheets = drawn.map(([count, state], index) => ({ count, state, name: `L${index}` }))
        const visible = sheets.filter(({ count, state }) => count > 0 && state === "visible")
        const withAny = sheets.filter(({ count }) => count > 0)
        const pool = visible.length > 0 ? visible : withAny
        fc.pre(pool.length > 0)
        const best = pool.reduce((first, next) => (next.count > first.count ? next : first))
        const bytes = workbookPackage(sheets.map(({ count, name, state }) => list(count, name, state)))
        const { sheet, otherSheets } = await open(bytes)
        expect(sheet).toBe(best.name)
        expect(otherSheets.map(({ name }) => name)).toEqual(
          withAny.filter((one) => one !== best).map(({ name }) => name),
        )
        expect((await recordsOf(bytes)).slice(1).map((row) => row[1])).toEqual(
          addresses(best.count, best.name.toLowerCase()),
        )
      }),
      { numRuns: 30 },
    )
  })

  test("a sheet's blank rows are not read to their end to compare it", async () => {
    const blank: Sheet = { name: "Blank", rows: "<row/>".repeat(120_000) }
    const padding = { sharedStrings: addresses(6_000, "p") }
    expect(await recordsOf(workbookPackage([list(2, "A"), blank], padding))).toHaveLength(3)
  })

  test("a sheet that the file does not have may be the list", async () => {
    const bytes = workbookPackage([list(9, "A"), list(2, "B")], { entry: (path) => path.replace("sheet1", "gone") })
    const message = "sheet 1 of the workbook is missing in the file"
    expect((await refusalOf(bytes))?.message).toBe(`${message}; to read another sheet, name it with sheet`)
    expect((await refusalOf(bytes, { sheet: "A" }))?.message).toBe(message)
    expect((await open(bytes, { sheet: "B" })).sheet).toBe("B")
  })

  test("a workbook whose sheets have no links has no sheet with cells", async () => {
    const bytes = workbookPackage([list(9, "A")], { entry: (path) => path.replace("workbook.xml.rels", "gone.rels") })
    expect(await refusalOf(bytes)).toEqual({ code: "invalid_request", message: "the workbook has no sheet with cells" })
  })

  test("a list with too many columns is refused, not replaced by a cover sheet", async () => {
    const message = expect.stringContaining("sheet 2 of the workbook may have at most 256 columns")
    expect(await refusalOf(workbookPackage([COVER, WIDE]))).toEqual({ code: "list_too_large", message })
  })

  test.each<[string, Sheet[]]>([
    ["first", [BROKEN, list(2, "A")]],
    ["last", [list(2, "A"), BROKEN]],
  ])("a visible sheet that cannot be read may be the list, when it is %s", async (_, sheets) => {
    const refusal = await refusalOf(workbookPackage(sheets))
    expect(refusal?.message).toMatch(
      /^sheet \d of the workbook is not well-formed XML.*; to read another sheet, name it/,
    )
    expect(await recordsOf(workbookPackage(sheets), { sheet: "A" })).toHaveLength(3)
  })
})

describe("a named column chooses among the sheets that have it:", () => {
  const other = (count: number, name: string, state?: Sheet["state"]) => list(count, name, state, "Backup Mail")
  test.each<[string, Sheet[], string, string]>([
    ["another sheet has more addresses", [list(9, "A"), other(2, "B")], "backup mail", "B"],
    [
      "below titles",
      [list(9, "A"), { ...other(2, "B"), rows: [["Title"], ["x", "Backup Mail"], ["1", "b@d.test"]] }],
      "Backup Mail",
      "B",
    ],
    ["two of them", [list(9, "A"), other(2, "B"), other(3, "C")], "Backup Mail", "C"],
    ["only a hidden sheet has it", [list(9, "A"), other(20, "H", "hidden")], "Backup Mail", "A"],
    ["no visible sheet has addresses", [NUMBERS, list(9, "H", "hidden"), other(2, "I", "hidden")], "Backup Mail", "I"],
    ["no sheet has it", [COVER, list(9, "A")], "nope", "A"],
    ["by its number", [{ name: "One", rows: addresses(9, "x").map((email) => [email]) }, list(2, "B")], "2", "B"],
  ])("%s", async (_, sheets, column, sheet) => {
    expect((await chosen(sheets, { column }))[0]).toBe(sheet)
  })
})

describe("a caller names a sheet", () => {
  const sheets = [list(9, "A"), { ...list(2, "H", "hidden"), name: "Über uns" }, NUMBERS, list(3, "2024")]
  test.each([
    ["A", "A"],
    ["über UNS", "Über uns"],
    [" numbers ", "Numbers"],
    ["2024", "2024"],
    ["1", "A"],
    ["2", "Über uns"],
    ["4", "2024"],
  ])("%j: %s", async (wanted, sheet) => {
    const [name, others] = await chosen(sheets, { sheet: wanted })
    expect(name).toBe(sheet)
    expect(others).toEqual(["A 9", "Über uns 2 hidden", "2024 3"].filter((other) => !other.startsWith(sheet)))
  })

  test.each(["B", "0", "5", "-1", ""])("%j, which does not exist", async (wanted) => {
    await expect(open(workbookPackage(sheets), { sheet: wanted })).rejects.toMatchObject({
      code: "invalid_request",
      message: `the workbook has no sheet ${JSON.stringify(wanted)}; it has "A", "Über uns", "Numbers", "2024"`,
      fields: [{ field: ["sheet"] }],
    })
  })

  test("and the error is short, whatever the names are", async () => {
    const many = Array.from({ length: 90 }, (_, n) => ({ ...NUMBERS, name: `${n}`.padEnd(500, "x") }))
    const { message } = (await refusalOf(workbookPackage(many), { sheet: "y".repeat(5_000) }))!
    expect(message.length).toBeLessThan(600)
    expect(message).toMatch(/ and 80 more$/)
  })

  test("of a text, which has none", async () => {
    const text = new TextEncoder().encode("email\na@b.test\n")
    await expect(open(text, { sheet: "A" })).rejects.toMatchObject({ fields: [{ field: ["sheet"] }] })
    expect(await open(text)).toMatchObject({ sheet: null, otherSheets: [] })
  })

  test("of more than 200", async () => {
    const many = workbookPackage(Array.from({ length: 201 }, (_, n) => list(1, `S${n}`)))
    expect(await refusalOf(many)).toMatchObject({
      code: "list_too_large",
      message: expect.stringMatching(/name one/),
    })
    expect(await recordsOf(many, { sheet: "S200" })).toEqual([
      ["id", "email"],
      ["1", "s2000@d0302.test"],
    ])
  })
})

describe("comparing sheets does not multiply the work:", () => {
  /** What the meter counts when a workbook is read to its end. */
  async function workOf(bytes: Uint8Array) {
    const work = { bytes: 0, characters: 0, rows: 0 }
    const table = await openTable(bytes, NO_OPTIONS, {
      async add(more) {
        work.bytes += more.bytes ?? 0
        work.characters += more.characters ?? 0
        work.rows += more.rows ?? 0
      },
    })
    for await (const _ of table.records);
    return work
  }

  test("the bytes count once, packed or unpacked, and each row that is parsed counts once", async () => {
    const [small, large] = [list(1_000, "A"), list(10_000, "B")]
    const one = await workOf(workbookPackage([large]))
    const both = await workOf(workbookPackage([small, large]))
    expect(one.rows).toBe(10_001)
    expect(both.rows).toBeLessThanOrEqual(11_002)
    const stored = workbookPackage([small, large], { isStored: true })
    expect(await workOf(stored)).toMatchObject({ bytes: stored.length })
    expect(both.bytes).toBeLessThan(stored.length)
    expect(both.bytes).toBeGreaterThan(one.bytes)
  })

  test("of 50 long sheets, the beginnings are parsed", async () => {
    const rows = "<row><c><v>1</v></c></row>".repeat(3_500)
    const sheets = Array.from({ length: 50 }, (_, n): Sheet => ({ name: `S${n}`, rows }))
    const { rows: counted } = await workOf(workbookPackage(sheets, { isStored: true }))
    expect(counted).toBeLessThan(50 * 3_000)
  })
})

test("the addresses of the best column count once each", () => {
  expect(countAddresses([])).toBe(0)
  expect(countAddresses([["a"], ["b@"]])).toBe(0)
  expect(
    countAddresses([
      ["A@b.test", "c@d.test"],
      ["a@B.test", "Ann <e@f.test>"],
      ["", "c@d.test "],
    ]),
  ).toBe(2)
})
