import { type CsvError, parse } from "csv-parse/browser/esm"
import type { Delimiter } from "../../domain/tables/delimiter.ts"
import { TABLE_LIMITS } from "../../domain/tables/limits.ts"
import { unreadable } from "./table-problem.ts"

/**
 * The records of a CSV as its pieces come in (RFC 4180, any line ends, blank lines skipped, records of any length).
 * @param delimiter null for a table of one column
 * @throws AppError invalid for an open quote or a record beyond all measure, naming its line
 */
export async function* readCsv(pieces: Iterable<string>, delimiter: Delimiter | null): AsyncGenerator<string[]> {
  let records: string[][] = []
  const parser = parse({
    // A character no text file has keeps every line whole.
    delimiter: delimiter ?? "\u0000",
    bom: true,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: TABLE_LIMITS.recordLength,
    on_record: (record: string[]) => {
      records.push(record)
      return null
    },
  })
  const problems: CsvError[] = []
  const over = new Promise<void>((resolve) => {
    parser.on("end", resolve)
    parser.on("error", (problem: CsvError) => {
      problems.push(problem)
      resolve()
    })
  })
  parser.resume()
  for (const piece of pieces) {
    parser.write(piece)
    // The parser works as it is written to, but tells of problems later.
    await Promise.resolve()
    if (problems.length > 0) break
    yield* records
    records = []
  }
  if (problems.length === 0) parser.end()
  await over
  if (problems[0]) throw unreadable(messageOf(problems[0]))
  yield* records
}

function messageOf({ code, ...problem }: CsvError): string {
  const line = (problem as { lines?: number }).lines ?? 0
  if (code === "CSV_QUOTE_NOT_CLOSED" || code === "CSV_MAX_RECORD_SIZE")
    return `the record at line ${line} does not end; is a quote left open?`
  return `line ${line} is not well-formed CSV`
}
