import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { repairAddress } from "../../../src/domain/address/repair-address.ts"
import { addedNames, columnNamed, columnNames } from "../../../src/domain/lists/column-names.ts"
import { DELIMITERS, declaredDelimiter } from "../../../src/domain/lists/csv-reader.ts"
import { findColumns } from "../../../src/domain/lists/find-columns.ts"
import { findDialect } from "../../../src/domain/lists/find-dialect.ts"
import { addressInCell, addressInEntry } from "../../../src/domain/lists/list-addresses.ts"
import { cellReference, rowReference } from "../../../src/domain/lists/xlsx.ts"
import { runToTheEnd } from "../../support/time/bounded-work.ts"

const delimiterOf = (text: string, isText = false) => findDialect({ text, isText, declared: null }).delimiter

describe("the delimiter", () => {
  test.each([
    ["a,b\n1,2\n", ","],
    ["a;b\n1,5;2,5\n3,5;4\n", ";"],
    ["a\tb, c\n1\t2\n", "\t"],
    ["a|b|c\n1|2|3\n", "|"],
    ['"Doe, J";x\n"Roe, K";y\n', ";"],
    ['"a;b\n;c",1\n2,3\n', ","],
    ["a@b.test\nc@d.test\n", null],
    ["Doe, J <a@b.test>\na@c.test\nd@e.test\nf@g.test", null],
    ["", null],
    ["a,b", ","],
    ["\n\n\na;b\n\nc;d", ";"],
    ["name;email;tags\nAnn;a@b.test\nBob;c@d.test;x\nCid;e@f.test;x;y,z\nDee;g@h.test;x;y;z\n", ";"],
  ])("of %j is %j", (sample, delimiter) => {
    expect(delimiterOf(sample)).toBe(delimiter)
  })

  test("is found in every table of at least two columns, even when the sample cuts a record", () => {
    // No whole address: lines that list addresses are read as lists, and "0|@b.test" is one address.
    const cell = fc.oneof(
      fc.stringMatching(/^[a-z0-9 .]{1,12}$/),
      fc.stringMatching(/^[a-z0-9 .]{0,6}@[a-z0-9 ]{0,5}$/),
    )
    const table = fc
      .integer({ min: 2, max: 6 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 3, maxLength: 20 }),
      )
    fc.assert(
      fc.property(
        table,
        fc.constantFrom(...DELIMITERS),
        fc.constantFrom("\n", "\r\n", "\r"),
        (records, delimiter, end) => {
          const text = records.map((record) => record.join(delimiter)).join(end)
          expect(delimiterOf(text)).toBe(delimiter)
          expect(delimiterOf(`${text}${end}"open${delimiter}`)).toBe(delimiter)
        },
      ),
    )
  })
})

test.each([
  ["sep=;\r\na;b\r\n", ";"],
  ["SEP=,\na,b", ","],
  ["sep=\t", "\t"],
  ["sep=;x\n", null],
  ["sep=\na", null],
  ["a\nsep=;\n", null],
])("the delimiter that %j declares is %j", (sample, delimiter) => {
  expect(declaredDelimiter(sample)).toBe(delimiter)
})

test.each([
  [" a@b.test ", "a@b.test"],
  ["Doe, John <a@b.test>", "a@b.test"],
  ["mailto:a@b.test", "a@b.test"],
  ["\u200ba@b.test\u00a0", "a@b.test"],
  ["\u202aa@b.test\u202c", "a@b.test"],
  ["\u200e\u2066a@b.test\u2069\u00ad", "a@b.test"],
  ["<a@b.test>", "a@b.test"],
  ["a b", "a b"],
  ["   ", ""],
  ["<>", ""],
  ["a<b", "a<b"],
  [' "a@b.test"', "a@b.test"],
  ['" Doe <a@b.test> "', "a@b.test"],
  ['"mailto:a@b.test"', "a@b.test"],
  ['"john doe"@b.test', '"john doe"@b.test'],
  ['"a"@"b"', '"a"@"b"'],
  ['"@', '"@'],
  ['"no address"', '"no address"'],
  [`${" ".repeat(5_000)}a@b.test${"\u00a0".repeat(5_000)}`, "a@b.test"],
  [`a@b.test ${"x".repeat(2_000)}`, ""],
])("the address in %j is %j", (cell, address) => {
  expect(repairAddress(addressInCell(cell)).text).toBe(address)
})

test.each([
  ["Doe, John <a@b.test>", "a@b.test"],
  ['"Doe, John" <a@b.test>', "a@b.test"],
  [" <a@b.test>\n", "a@b.test"],
  ["John < a@b.test >", " a@b.test "],
  ["John <a@b.test>, Jane <c@d.test>", "John <a@b.test>, Jane <c@d.test>"],
  ["John <nothing>", "John <nothing>"],
  ["a@b.test", "a@b.test"],
  [" a@b.test ", " a@b.test "],
  ['"a@b.test"', '"a@b.test"'],
  ['"<a>"@b.test', '"<a>"@b.test'],
  ["", ""],
])("the address in the entry %j is %j", (entry, address) => {
  expect(addressInEntry(entry)).toBe(address)
})

describe("the time for a cell", () => {
  test.each<[what: string, of: (size: number) => string]>([
    ["blanks in the middle", (size) => `a${" ".repeat(size)}@b.test`],
    ["brackets", (size) => "<".repeat(size)],
    ["closed brackets", (size) => `${"<>".repeat(size / 2)} x`],
  ])("is linear in its %s", (_, of) => {
    for (const size of [1_900, 1_000_000]) runToTheEnd(() => addressInCell(of(size)))
  })

  test("is constant for a cell that is too long", () => {
    const cell = `a${" ".repeat(1_000_000)}@b.test`
    runToTheEnd(() => {
      for (let time = 0; time < 1_000_000; time++) if (addressInCell(cell) !== "") throw new Error("an address")
    })
  })
})

describe("names of columns", () => {
  test("are as given, never empty and always unique", () => {
    expect(columnNames(["a", "", "A", " b "], 6)).toEqual(["a", "column_2", "A_2", "b", "column_5", "column_6"])
    expect(columnNames(null, 2)).toEqual(["column_1", "column_2"])
    expect(addedNames(["status", "score"], ["Status", "mailverdict_status"])).toEqual(["mailverdict_status_2", "score"])
    fc.assert(
      fc.property(fc.array(fc.string()), (names) => {
        const made = columnNames(names, names.length).map((name) => name.toLowerCase())
        expect(new Set(made).size).toBe(names.length)
      }),
    )
  })

  test("of a record with only delimiters take linear time", () => {
    runToTheEnd(() => columnNames(Array<string>(100_000).fill("a"), 0))
  })

  test("full of accents take linear time", () => {
    const name = "a".concat("\u0300\u0316".repeat(200_000))
    runToTheEnd(() => findColumns([[name, "email"]], null))
  })

  test.each([
    ["B", 1],
    [" b ", 1],
    ["2", 1],
    ["0", null],
    ["4", null],
    ["nope", null],
    ["", null],
  ])("%j is column %j", (wanted, column) => {
    expect(columnNamed(wanted, ["a", "b", "c"])).toBe(column)
  })
})

test.each([
  ["B3", { row: 3, column: 2 }],
  ["AA7", { row: 7, column: 27 }],
  ["XFD1048576", { row: 1_048_576, column: 16_384 }],
  ["AAAA1", null],
  ["1e6", null],
  ["A0", null],
  ["a1", { row: 1, column: 1 }],
  ["$A$1", { row: 1, column: 1 }],
  ["R1C1", null],
  ["", null],
])("the cell %j is at %j", (text, place) => {
  expect(cellReference(text)).toEqual(place)
})

test.each([
  ["7", 7],
  ["1e6", null],
  ["0x10000", null],
  ["0", null],
  ["-1", null],
])("the row %j is number %j", (text, number) => {
  expect(rowReference(text)).toBe(number)
})
