import type { Table } from "../../adapters/lists/tables.ts"
import type { Context } from "../../context.ts"
import type { Caller } from "../../domain/accounts/caller.ts"
import { columnNames } from "../../domain/lists/column-names.ts"
import { type FoundColumns, findColumns } from "../../domain/lists/find-columns.ts"
import { addressesInCell } from "../../domain/lists/list-addresses.ts"
import { detailColumns } from "../../domain/suppression/suppression-columns.ts"
import { AppError } from "../../errors.ts"
import { inReadSlot, type ReadBudget } from "../lists/read-table.ts"
import { type ImportDefaults, readRow } from "./import-row.ts"
import { suppress, type ToSuppress } from "./suppression-list.ts"

/** Each entry is a write at the edge before the response. */
export const MAX_IMPORT_ROWS = 1_000

/** The counts of rows: added, updated, kept, duplicates and rejected ones make up the table. */
export interface Imported {
  readonly added: number
  /** Entries that got a graver reason, a later end or another source. */
  readonly updated: number
  /** Entries that stayed as they were: at least as grave, and active at least as long. */
  readonly unchanged: number
  /** Rows whose address or domain came before in the table. */
  readonly duplicates: number
  /** Accepted addresses that were repaired. */
  readonly repaired: number
  /** Texts about a reason that have no known meaning, with the number of their rows. */
  readonly unknownReasons: ReadonlyMap<string, number>
  /** Rejected rows, counted from 1, including all above them: titles, the header and a declared delimiter. */
  readonly rejected: readonly { readonly row: number; readonly reason: string }[]
  /** Name of the address column. Null in a table of domains. */
  readonly emailColumn: string | null
  /** Names of other columns with addresses, which were not imported. */
  readonly otherAddressColumns: readonly string[]
  /** Records above the header. */
  readonly skippedRows: number
  /** Characters that could not be read. */
  readonly unreadableCharacters: number
}

interface ImportInput {
  readonly caller: Caller
  readonly list: string
  readonly bytes: Uint8Array
  /** Name or number, from 1, of the address column, null to find it. */
  readonly column: string | null
  /** Label of the text's encoding, null to detect it. */
  readonly encoding: string | null
  readonly defaults: ImportDefaults
}

/**
 * Adds the addresses and domains of a table to a list. A header may name `domain` and the columns of `detailColumns`, as
 * in exports of this service and others. A cell with several addresses adds each. Unreadable rows are skipped and
 * reported.
 * @throws AppError bad_request for an unreadable table, rate_limited
 */
export async function importSuppressions(
  ctx: Context,
  { caller, list, bytes, column, encoding, defaults }: ImportInput,
): Promise<Imported> {
  const { table, records } = await inReadSlot(ctx, caller, (budget) =>
    readRecords(ctx, budget, { bytes, column, encoding }),
  )
  const columns = findAll(records.slice(0, SAMPLE), column)
  const first = columns.header === null ? 0 : columns.header + 1
  if (records.length - first > MAX_IMPORT_ROWS)
    throw new AppError("bad_request", `at most ${MAX_IMPORT_ROWS} rows in one call; send the rest in further calls`)
  const rejected: { row: number; reason: string }[] = []
  const unknownReasons = new Map<string, number>()
  const now = ctx.clock.now()
  const wanted = records.slice(first).flatMap((record, index): ToSuppress[] =>
    entriesOf(record, columns.email).flatMap((entry): ToSuppress[] => {
      const read = readRow(entry, columns, { defaults, now })
      if (typeof read === "string") {
        rejected.push({ row: index + first + table.linesBefore + 1, reason: read })
        return []
      }
      const { unknownReason: unknown } = read
      if (unknown !== null) unknownReasons.set(unknown, (unknownReasons.get(unknown) ?? 0) + 1)
      return [read.entry]
    }),
  )
  if (wanted.length > MAX_IMPORT_ROWS)
    throw new AppError("bad_request", `at most ${MAX_IMPORT_ROWS} addresses in one call; some cells have several`)
  const changes = await suppress(ctx, list, wanted)
  const countOf = (change: "added" | "updated" | "unchanged") => changes.filter((one) => one?.change === change).length
  const names = columnNames(columns.header === null ? null : records[columns.header]!, columns.width)
  return {
    added: countOf("added"),
    updated: countOf("updated"),
    unchanged: countOf("unchanged"),
    duplicates: changes.filter((one) => one === null).length,
    repaired: wanted.filter((one) => "address" in one && one.address.repaired.length > 0).length,
    unknownReasons,
    rejected,
    emailColumn: columns.email < 0 ? null : names[columns.email]!,
    otherAddressColumns: columns.others.map((at) => names[at]!),
    skippedRows: columns.header ?? 0,
    unreadableCharacters: table.unreadable(),
  }
}

/** The row, or one for each of the addresses in its cell. */
function entriesOf(record: readonly string[], email: number): (readonly string[])[] {
  const addresses = email < 0 ? [] : addressesInCell(record[email] ?? "")
  return addresses.length < 2 ? [record] : addresses.map((address) => record.with(email, address))
}

/** Records among which the header is. */
const SAMPLE = 100

/** Finds the columns of a table. @param head the first records @throws AppError bad_request without one of addresses or domains */
function findAll(head: readonly (readonly string[])[], wanted: string | null) {
  const titled = head.findIndex(
    (record) => titlesOf(record).includes("domain") && !record.some((cell) => cell.includes("@")),
  )
  const domain = titled < 0 ? -1 : titlesOf(head[titled]!).indexOf("domain")
  // The text "*@example.com" is also an address, so the column of domains is left out.
  const rest = domain < 0 ? head : head.map((record) => record.map((cell, at) => (at === domain ? "" : cell)))
  const found = findColumns(rest, wanted)
  if (wanted !== null && !found)
    throw new AppError("bad_request", "the table has no column of this name; correct email_column")
  if (!found && domain < 0) throw new AppError("bad_request", "no address column was found; name it with email_column")
  if (found?.isTie) throw ambiguous(head, found)
  const header = domain >= 0 ? titled : (found?.header ?? null)
  return {
    header,
    email: found?.column ?? -1,
    others: found?.otherColumns ?? [],
    width: head.reduce((widest, { length }) => Math.max(widest, length), 0),
    domain,
    ...detailColumns(header === null ? [] : head[header]!),
  }
}

function titlesOf(record: readonly string[]): string[] {
  return record.map((name) => name.trim().toLowerCase())
}

/** A wrong guess would block mail to people who want it. */
function ambiguous(head: readonly (readonly string[])[], { header, column, otherColumns }: FoundColumns): AppError {
  const names = columnNames(header === null ? null : head[header]!, Math.max(column, ...otherColumns) + 1)
  const both = [column, ...otherColumns].map((at) => JSON.stringify(names[at]!.slice(0, 100)))
  return new AppError(
    "bad_request",
    `the columns ${both.join(" and ")} hold addresses; name the right one with email_column`,
  )
}

async function readRecords(
  ctx: Context,
  budget: ReadBudget,
  { bytes, column, encoding }: Pick<ImportInput, "bytes" | "column" | "encoding">,
) {
  try {
    const table: Table = await ctx.tables.open(bytes, { isText: false, sheet: null, column, encoding }, budget)
    const records: (readonly string[])[] = []
    for await (const record of table.records) {
      records.push(record)
      // The caller refuses so many, even below titles.
      if (records.length > MAX_IMPORT_ROWS + SAMPLE) break
    }
    return { table, records }
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "invalid_request") throw error
    throw new AppError("bad_request", error.message, { cause: error })
  }
}
