import { yieldToEventLoop } from "../../concurrency/yield-to-event-loop.ts"
import { type CsvProblem, CsvReader, csvProblemText, type Dialect } from "../../domain/lists/csv-reader.ts"
import { restoredCell } from "../../domain/lists/download.ts"
import { AppError } from "../../errors.ts"
import type { ReadMeter } from "./read-meter.ts"
import { unreadable } from "./table-problem.ts"

/**
 * Yields the records of a CSV text, without the apostrophes that a download adds. Between two pieces, other requests can run.
 * @param pieces chunks of at most 65,536 characters
 * @throws AppError invalid for an open quote or an oversized record, with its line; payload_too_large, rate_limited
 */
export async function* readCsv(pieces: Iterable<string>, dialect: Dialect, meter: ReadMeter): AsyncGenerator<string[]> {
  const reader = new CsvReader(dialect)
  for (const piece of pieces) {
    await yieldToEventLoop()
    const records = reader.push(piece)
    await meter.add({ bytes: piece.length, rows: records.length })
    for (const record of records) yield record.map(restoredCell)
    if (reader.problem) throw refusalOf(reader.problem)
  }
  for (const record of reader.end()) yield record.map(restoredCell)
  if (reader.problem) throw refusalOf(reader.problem)
}

function refusalOf(problem: CsvProblem): AppError {
  const text = csvProblemText(problem)
  if (problem.kind !== "too_many_columns") return unreadable(text)
  return new AppError("payload_too_large", `${text}; delete those that you do not need`)
}
