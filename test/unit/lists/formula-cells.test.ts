import { parse } from "csv-parse/sync"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { CsvReader, DELIMITERS, type Delimiter, ONE_COLUMN } from "../../../src/domain/lists/csv-reader.ts"
import { csvLine, restoredCell } from "../../../src/domain/lists/download.ts"
import { recordsOf } from "../../support/inputs/read-table.ts"

const unit = fc.constantFrom(..."ab,;|\"'\r\n\t=+-@＝ é\u200b")
const cells = fc.array(fc.string({ unit, minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 })
const delimiter = fc.constantFrom<Delimiter>(...DELIMITERS)

/** What a spreadsheet may remove before it decides what a cell is. */
const FORMULA = /^[\s"\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u

/** The cells that programs make of a text: those that understand its quotes, and those that do not. */
function readings(text: string, by: Delimiter): string[] {
  const reader = new CsvReader({ ...ONE_COLUMN, delimiter: by })
  const strict = [...reader.push(text), ...reader.end()].flat()
  const loose = parse(text, { delimiter: by, relax_quotes: true, relax_column_count: true, quote: '"' })
  const blind = text.split(/[\r\n]/).flatMap((line) => line.split(by))
  return [...strict, ...(loose as string[][]).flat(), ...blind]
}

describe("a line of a download", () => {
  test("has no formula in a cell, whichever usual delimiter a program splits it at", () => {
    fc.assert(
      fc.property(cells, delimiter, delimiter, (given, written, by) => {
        let text = csvLine(given, written) + csvLine(given, written)
        // csv-parse fails on an open quote, which spreadsheets accept.
        if ((text.split('"').length - 1) % 2 === 1) text += '"'
        let all: string[]
        try {
          all = readings(text, by)
        } catch {
          all = text.split(/[\r\n]/).flatMap((line) => line.split(by))
        }
        expect(all.filter((cell) => FORMULA.test(cell))).toEqual([])
      }),
      { numRuns: 2_000 },
    )
  })

  test("has no cell that begins with a tab or a line break", () => {
    fc.assert(
      fc.property(cells, delimiter, (given, by) => {
        const reader = new CsvReader({ ...ONE_COLUMN, delimiter: by })
        const read = [...reader.push(csvLine(given, by)), ...reader.end()].flat()
        expect(read.filter((cell) => /^[\t\r\n]/.test(cell))).toEqual([])
      }),
    )
  })

  test("is read back unchanged by an upload", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(cells, { minLength: 3, maxLength: 6 }), delimiter, async (records, by) => {
        const text = `sep=${by}\r\n${records.map((record) => csvLine(record, by)).join("")}`
        expect(await recordsOf(new TextEncoder().encode(text))).toEqual(records)
      }),
    )
  })

  test.each([
    ["x,=1+1,y", `"x,'=1+1,y"`],
    ["a,-b@x.test", `"a,'-b@x.test"`],
    ['x, "=1"', `"x, ""'=1"""`],
    ["call | +49 30 1", `"call | '+49 30 1"`],
    ["list:\n- one\n- two", `"list:\n'- one\n'- two"`],
    ["'=1", `"''=1"`],
    ["1-2=x@y.test", "1-2=x@y.test"],
    ["a-b+c@x.test; d@x.test", `a-b+c@x.test; d@x.test`],
    ["it's, 'quoted'", `"it's, 'quoted'"`],
  ])("%j is written %s, and is restored", (given, written) => {
    expect(csvLine([given])).toBe(`${written}\r\n`)
    expect(restoredCell(written.replace(/^"|"$/g, "").replaceAll('""', '"'))).toBe(given)
  })

  test.each(["'", "=", " ", '"', "\u200b", "'=", " =", ",", ",'", "\t"])(
    "of 400,000 times %j is written and restored in linear time",
    (repeated) => {
      const cell = repeated.repeat(400_000)
      const text = csvLine([cell]).slice(0, -2)
      const inner = text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text
      expect(restoredCell(inner)).toBe(cell)
    },
  )
})
