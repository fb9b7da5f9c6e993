import { type CsvError, parse } from "csv-parse/browser/esm/sync"
import type { Deps } from "../../deps.ts"
import { declaredDelimiter, findDelimiter } from "../../domain/tables/delimiter.ts"
import { findEmailColumn } from "../../domain/tables/email-column.ts"
import { AppError } from "../../errors.ts"
import { type ImportDefaults, readRow } from "./read-row.ts"
import type { RefreshNeeds } from "./refresh-marks.ts"
import { suppress, type ToSuppress } from "./suppress.ts"

/** Each entry is a write at the edge before the answer goes out. */
export const MAX_IMPORT_ROWS = 1_000

export interface Imported {
  readonly added: number
  /** Rows left out. Rows count from 1, the header and a declared delimiter among them. */
  readonly rejected: readonly { readonly row: number; readonly reason: string }[]
}

/**
 * Puts the addresses of a CSV on a list: a column of addresses, and where a header names them, `reason`, `source` and
 * `expires_in_days` or, as our own export has it, `expires_at`. What cannot be read is left out and told of.
 * @throws AppError bad_request when it is no such table
 */
export async function importSuppressions(
  needs: RefreshNeeds & Pick<Deps, "digests">,
  { list, text, defaults }: { list: string; text: string; defaults: ImportDefaults },
): Promise<Imported> {
  const declared = declaredDelimiter(text)
  const records = readRecords(text, declared)
  const found = findEmailColumn(records.slice(0, 50))
  if (!found) throw new AppError("bad_request", "no column of addresses was found")
  const names = found.hasHeader ? records[0]!.map((name) => name.trim().toLowerCase()) : []
  const first = found.hasHeader ? 1 : 0
  const above = declared ? 2 : 1
  if (records.length - first > MAX_IMPORT_ROWS)
    throw new AppError("bad_request", `at most ${MAX_IMPORT_ROWS} rows in one call; send the rest in further calls`)
  const column = (name: string) => names.indexOf(name)
  const columns = {
    email: found.column,
    reason: column("reason"),
    source: column("source"),
    days: column("expires_in_days"),
    moment: column("expires_at"),
  }
  const rejected: { row: number; reason: string }[] = []
  const now = needs.clock.now()
  const wanted = records.slice(first).flatMap((record, index): ToSuppress[] => {
    const read = readRow(record, columns, { defaults, now })
    if (typeof read !== "string") return [read]
    rejected.push({ row: index + first + above, reason: read })
    return []
  })
  await suppress(needs, list, wanted)
  return { added: wanted.length, rejected }
}

/** @param declared the delimiter a first line "sep=;" names, which is no record */
function readRecords(text: string, declared: string | null): string[][] {
  const delimiter = declared ?? findDelimiter(text.slice(0, 20_000)) ?? ","
  try {
    return parse(text, {
      bom: true,
      delimiter,
      from_line: declared ? 2 : 1,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: 10_000,
      to: MAX_IMPORT_ROWS + 2,
    }) as unknown as string[][]
  } catch (error) {
    throw new AppError("bad_request", `this is not a CSV: ${(error as CsvError).message.slice(0, 200)}`)
  }
}
