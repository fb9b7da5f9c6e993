import { parse } from "csv-parse/sync"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  CsvReader,
  csvProblemText,
  type Delimiter,
  type Dialect,
  ONE_COLUMN,
} from "../../../src/domain/lists/csv-reader.ts"
import { runToTheEnd } from "../../support/time/bounded-work.ts"

interface Given extends Partial<Dialect> {
  /** Characters of each piece. */
  readonly size?: number
}

function read(text: string, { size = text.length || 1, ...dialect }: Given = {}) {
  const reader = new CsvReader({ ...ONE_COLUMN, delimiter: ",", ...dialect })
  const records: string[][] = []
  for (let at = 0; at < text.length; at += size) records.push(...reader.push(text.slice(at, at + size)))
  records.push(...reader.end())
  return { records, problem: reader.problem }
}

/** The records that csv-parse reads; null for an unclosed quote. */
function reference(text: string, delimiter: Delimiter | null): string[][] | null {
  const options = { relax_column_count: true, relax_quotes: true, skip_empty_lines: true }
  try {
    return parse(text, { ...options, delimiter: delimiter ?? "\u0000", record_delimiter: ["\r\n", "\n", "\r"] })
  } catch {
    return null
  }
}

describe("the records of a CSV", () => {
  test("are those of csv-parse, wherever the pieces are cut", () => {
    const text = fc.string({ unit: fc.constantFrom(...'a,;""\n\r b'), maxLength: 14 })
    const delimiter = fc.constantFrom<Delimiter | null>(",", ";", null)
    fc.assert(
      fc.property(text, delimiter, fc.integer({ min: 1, max: 5 }), (text, delimiter, size) => {
        const expected = reference(text, delimiter)
        const { records, problem } = read(text, { delimiter, size })
        expect(problem?.kind ?? null).toBe(expected === null ? "open_quote" : null)
        if (expected !== null) expect(records).toEqual(expected)
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    ['1,"Shop \\"North, South\\" Ltd",x', ["1", 'Shop "North, South" Ltd', "x"]],
    ['"a\\\\","b\\n","c""d"', ["a\\", "b\\n", 'c"d']],
    ['a\\"b,"\\",\\""', ['a\\"b', '","']],
  ])("with escaped quotes of %j is %j", (text, record) => {
    for (const size of [1, 2, 100]) expect(read(text, { size, hasBackslashes: true }).records).toEqual([record])
  })

  test("of a list end at the delimiter and at the line end", () => {
    expect(read("a;b \n\nc;;d;", { delimiter: ";", isList: true }).records).toEqual([["a"], ["b"], ["c"], ["d"]])
  })

  test.each([
    ["an open quote", 'a,b\n\n"c\nd', "the record at line 3 does not end; is a quote left open?"],
    ["a long field", `a\n${"x".repeat(1_000_001)}`, "the record at line 2 does not end within 1000000 letters"],
    [
      "long fields",
      `a\n${`${"x".repeat(5_000)},`.repeat(250)}`,
      "the record at line 2 does not end within 1000000 letters",
    ],
    ["many columns", `a\r\nb\r\n${",".repeat(256)}`, "line 3 has more than 256 columns"],
  ])("%s is refused with its line number", (_, text, expected) => {
    for (const size of [7, 100, 100_000]) {
      const { problem } = read(text, { size })
      expect(problem && csvProblemText(problem)).toContain(expected)
    }
  })

  test("256 columns and 65,536 characters are read", () => {
    expect(read(`${",".repeat(255)}\n${"x".repeat(65_536)}`)).toMatchObject({ problem: null })
  })
})

describe("the time to read a CSV grows no faster than the text", () => {
  const repeated = (head: string, unit: string) => (size: number) => head + unit.repeat(size / unit.length)
  test.each([
    ["records of other lengths than the first", repeated("a,b\n", "x\n")],
    ["fields in quotes", repeated("", '"a","b"\n')],
    ["quotes that follow a quote", repeated('"', '""')],
    ["quotes inside fields", repeated("a", '"a"\n')],
    ["blank lines", repeated("", "\r\n")],
    ["delimiters", repeated("", ",")],
    ["line ends in quotes", repeated("", '"\n\n\n"\n')],
  ])("%s", (_, text) => {
    const whole = text(3_000_000)
    for (const piece of [10_000, whole.length])
      runToTheEnd(() => {
        const reader = new CsvReader({ ...ONE_COLUMN, delimiter: "," })
        for (let at = 0; at < whole.length; at += piece) reader.push(whole.slice(at, at + piece))
      })
  })
})
