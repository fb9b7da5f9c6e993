import { yieldToEventLoop } from "../../concurrency/yield-to-event-loop.ts"
import type { Context } from "../../context.ts"
import type { Caller } from "../../domain/accounts/caller.ts"
import { restoredCell } from "../../domain/bulk/csv-line.ts"
import { CsvReader, csvProblemText } from "../../domain/bulk/csv-reader.ts"
import { type Delimiter, declaredDelimiter, findDelimiter } from "../../domain/bulk/delimiter.ts"
import { findEmailColumn, findKnownColumn } from "../../domain/bulk/email-column.ts"
import { AppError } from "../../errors.ts"
import { inReadTurn, type ReadBudget } from "../bulk/read-budget.ts"
import { type Columns, type ImportDefaults, readRow } from "./read-row.ts"
import { suppress, type ToSuppress } from "./suppress.ts"

/** Each entry is a write at the edge before the response. */
export const MAX_IMPORT_ROWS = 1_000

/** The counts of rows: added, updated, kept, duplicates and rejected ones make up the table. */
export interface Imported {
  readonly added: number
  /** Entries that got a graver reason, a later end or another source. */
  readonly updated: number
  /** Entries that stayed as they were: at least as grave, and active at least as long. */
  readonly kept: number
  /** Rows whose address or domain came before in the table. */
  readonly duplicates: number
  /** Accepted addresses that were repaired. */
  readonly repaired: number
  /** Rejected rows, counted from 1, including the header and a declared delimiter. */
  readonly rejected: readonly { readonly row: number; readonly reason: string }[]
}

interface ImportInput {
  readonly caller: Caller
  readonly list: string
  readonly text: string
  readonly defaults: ImportDefaults
}

/**
 * Adds the addresses and domains of a CSV file to a list. A header may name `domain`, `reason`, `source` and
 * `expires_in_days`, or `expires_at` as in the export. Unreadable rows are skipped and reported.
 * @throws AppError bad_request for an unreadable table, rate_limited
 */
export async function importSuppressions(
  ctx: Context,
  { caller, list, text, defaults }: ImportInput,
): Promise<Imported> {
  const declared = declaredDelimiter(text)
  const records = await inReadTurn(ctx, caller, (budget) => readRecords(budget, text, declared))
  const columns = findColumns(records.slice(0, 50))
  if (!columns) throw new AppError("bad_request", "no address column was found")
  const first = columns.hasHeader ? 1 : 0
  const above = declared ? 2 : 1
  if (records.length - first > MAX_IMPORT_ROWS)
    throw new AppError("bad_request", `at most ${MAX_IMPORT_ROWS} rows in one call; send the rest in further calls`)
  const rejected: { row: number; reason: string }[] = []
  const now = ctx.clock.now()
  const wanted = records.slice(first).flatMap((record, index): ToSuppress[] => {
    const read = readRow(record, columns, { defaults, now })
    if (typeof read !== "string") return [read]
    rejected.push({ row: index + first + above, reason: read })
    return []
  })
  const changes = await suppress(ctx, list, wanted)
  const countOf = (change: "added" | "updated" | "unchanged") => changes.filter((one) => one?.change === change).length
  return {
    added: countOf("added"),
    updated: countOf("updated"),
    kept: countOf("unchanged"),
    duplicates: changes.filter((one) => one === null).length,
    repaired: wanted.filter((one) => "address" in one && one.address.repaired.length > 0).length,
    rejected,
  }
}

/** Finds the columns of a table; null without one of addresses or domains. @param head the first records */
function findColumns(head: readonly string[][]): (Columns & { readonly hasHeader: boolean }) | null {
  const titles = (head[0] ?? []).map((name) => name.trim().toLowerCase())
  const domain = titles.indexOf("domain")
  // The text "*@example.com" is also an address, so the column of domains is left out.
  const rest = domain < 0 ? head : head.map((record) => record.map((cell, at) => (at === domain ? "" : cell)))
  const found = domain < 0 ? findEmailColumn(rest) : findKnownColumn(rest)
  if (!found && domain < 0) return null
  const hasHeader = domain >= 0 || found?.hasHeader === true
  const column = (name: string) => (hasHeader ? titles.indexOf(name) : -1)
  return {
    hasHeader,
    email: found?.column ?? -1,
    domain: column("domain"),
    reason: column("reason"),
    source: column("source"),
    days: column("expires_in_days"),
    moment: column("expires_at"),
  }
}

/** Characters read in one turn of the event loop. */
const PIECE = 65_536

/** @param declared the delimiter a first line "sep=;" names, which is no record */
async function readRecords(budget: ReadBudget, text: string, declared: Delimiter | null): Promise<string[][]> {
  const reader = new CsvReader(declared ?? findDelimiter(text.slice(0, 20_000)) ?? ",")
  const records: string[][] = []
  for (let at = 0; at < text.length; at += PIECE) {
    await yieldToEventLoop()
    const piece = text.slice(at, at + PIECE)
    const more = reader.push(piece)
    await budget.add({ bytes: piece.length, rows: more.length })
    records.push(...more)
    // With a header and a declared delimiter. The caller refuses so many.
    if (records.length > MAX_IMPORT_ROWS + 2) return records
  }
  records.push(...reader.end())
  if (reader.problem) throw new AppError("bad_request", `this is not a CSV: ${csvProblemText(reader.problem)}`)
  return (declared ? records.slice(1) : records).map((record) => record.map(restoredCell))
}
