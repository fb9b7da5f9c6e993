import { parse } from "csv-parse/stream"
import type { Delimiter } from "../../domain/tables/delimiter.ts"
import { TABLE_LIMITS } from "../../domain/tables/limits.ts"
import { unreadable } from "./table-problem.ts"

/**
 * The records of a CSV as its pieces come in (RFC 4180, any line ends, blank lines skipped, records of any length).
 * @param delimiter null for a table of one column
 * @param firstRecord from 1; those before it are left out
 * @throws AppError invalid for an open quote or a record beyond all measure, naming its line
 */
export async function* readCsv(
  pieces: Iterable<string>,
  delimiter: Delimiter | null,
  firstRecord: number,
): AsyncGenerator<string[]> {
  let records: string[][] = []
  // The form of the parser without Node's streams: stand-ins for those keep timers across requests, which a Worker forbids.
  const parser = parse({
    // A character no text file has keeps every line whole.
    delimiter: delimiter ?? "\u0000",
    bom: true,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    from: firstRecord,
    max_record_size: TABLE_LIMITS.recordLength,
    on_record: (record: string[]) => {
      records.push(record)
      return null
    },
  })
  const writer = parser.writable.getWriter()
  const encoder = new TextEncoder()
  // What the parser objects to is told here only; a later write just fails.
  const problem = writer.closed.then(
    () => null,
    (error: unknown) => error,
  )
  const passed = async (work: Promise<void>) => {
    await work.catch(async () => {
      throw unreadable(messageOf(await problem))
    })
    const found = records
    records = []
    return found
  }
  for (const piece of pieces) yield* await passed(writer.write(encoder.encode(piece)))
  yield* await passed(writer.close())
}

function messageOf(problem: unknown): string {
  const { code = "", lines = 0 } = problem as { code?: string; lines?: number }
  if (code === "CSV_QUOTE_NOT_CLOSED" || code === "CSV_MAX_RECORD_SIZE")
    return `the record at line ${lines} does not end; is a quote left open?`
  return `line ${lines} is not well-formed CSV`
}
