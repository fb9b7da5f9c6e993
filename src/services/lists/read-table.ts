import type { ReadMeter, ReadWork } from "../../adapters/lists/read-limits.ts"
import type { Table, TableOptions } from "../../adapters/lists/tables.ts"
import { YieldBudget, yieldToEventLoop } from "../../concurrency/yield-to-event-loop.ts"
import type { Context } from "../../context.ts"
import { type Caller, limitSubjectOf } from "../../domain/accounts/caller.ts"
import { FREE_WORK } from "../../domain/accounts/free-work.ts"
import { freeUnits } from "../../domain/accounts/rate-limits.ts"
import { counted } from "../../domain/counted.ts"
import { type FoundColumns, findColumns } from "../../domain/lists/find-columns.ts"
import { AddressReader, type CellAddress } from "../../domain/lists/list-addresses.ts"
import { takeSample } from "../../domain/lists/uploaded-file.ts"
import { invalidField, tooMany } from "../../errors.ts"
import { reserveFreeWork } from "../accounts/count-free-work.ts"

export interface TableFile extends TableOptions {
  readonly bytes: Uint8Array
}

export interface TableRow {
  readonly cells: readonly string[]
  /** Null for a row without one. */
  readonly address: CellAddress | null
}

interface ReadTable {
  readonly table: Table
  readonly found: FoundColumns
  /** The record with the column names, null in a table without one. */
  readonly header: readonly string[] | null
  /** Records above the header. */
  readonly skipped: number
  /** Cells so far that hold several addresses. Each of these has a row of its own. */
  readonly split: () => number
  /** The rows below the header in order, to be read once. */
  readonly rows: AsyncIterable<TableRow>
}

/** Characters of a row whose cells are repeated for each of its addresses. A longer row has them once. */
const REPEATED_CHARACTERS = 2_000

/**
 * Opens a file and finds its header and its address column. Uploads, previews and imports read the same rows.
 * @throws AppError invalid, payload_too_large, rate_limited
 */
export async function readTable(ctx: Context, budget: ReadBudget, file: TableFile): Promise<ReadTable> {
  const table = await ctx.tables.open(file.bytes, file, budget)
  const records = table.records[Symbol.asyncIterator]()
  const sample = await takeSample(records)
  await yieldToEventLoop()
  const found = findColumns(sample, file.column)
  if (!found) throw notFound(sample, file.column)
  const first = found.header === null ? 0 : found.header + 1
  let split = 0
  async function* rows(): AsyncGenerator<TableRow> {
    const reader = new AddressReader()
    const untilYield = new YieldBudget()
    for await (const cells of following(sample.slice(first), records)) {
      const cell = cells[found!.column] ?? ""
      const addresses = reader.readCell(cell)
      if (addresses.length > 1) split++
      yield* rowsOf(cells, addresses, found!.column)
      if (untilYield.isOver(cell.length)) await yieldToEventLoop()
    }
  }
  const header = found.header === null ? null : sample[found.header]!
  return { table, found, header, skipped: found.header ?? 0, split: () => split, rows: rows() }
}

/** What was read of a file, for the caller. */
export interface FileFacts {
  readonly format: Table["format"]
  readonly encoding: string | null
  readonly delimiter: string | null
  /** Null for a text. */
  readonly sheet: string | null
  readonly otherSheets: Table["otherSheets"]
  /** Names of columns. */
  readonly emailColumn: string
  readonly otherAddressColumns: readonly string[]
  readonly skippedRows: number
  /** Cells that held several addresses. */
  readonly splitCells: number
  readonly unreadableCharacters: number
}

/** What was read so far. @param names the names of all columns */
export function fileFacts({ table, found, skipped, split }: ReadTable, names: readonly string[]): FileFacts {
  const { format, encoding, delimiter, sheet, otherSheets } = table
  return {
    format,
    encoding,
    delimiter,
    sheet,
    otherSheets,
    emailColumn: names[found.column]!,
    otherAddressColumns: found.otherColumns.map((column) => names[column]!),
    skippedRows: skipped,
    splitCells: split(),
    unreadableCharacters: table.unreadable(),
  }
}

async function* following<T>(first: readonly T[], rest: AsyncIterator<T>): AsyncGenerator<T> {
  yield* first
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

/** The row, or one for each of the addresses in its cell, with the other cells repeated. */
function rowsOf(cells: readonly string[], addresses: readonly CellAddress[], column: number): TableRow[] {
  const [first, ...more] = addresses
  if (!first || more.length === 0) return [{ cells, address: first ?? null }]
  const characters = cells.reduce((sum, { length }) => sum + length, 0)
  const others = characters > REPEATED_CHARACTERS ? cells.map(() => "") : cells
  const rowOf = (row: readonly string[], address: CellAddress) => ({ cells: row.with(column, address.email), address })
  return [rowOf(cells, first), ...more.map((address) => rowOf(others, address))]
}

function notFound(sample: readonly (readonly string[])[], column: string | null) {
  if (column !== null)
    return invalidField(["email_column"], `the file has no column ${JSON.stringify(column.slice(0, 100))}`)
  if (sample.length === 0) return invalidField(["file"], "no address column was found: the file has no rows")
  return invalidField(
    ["file"],
    `no address column was found: the first ${counted(sample.length, "row")} have no well-formed address and no column named "email"; name the column with email_column`,
  )
}

/** When a caller whose other files wait may try again. A file of 20 MB takes one to two seconds. */
const BUSY_SECONDS = 5
/** What a credit pays for, as for a list that is stored. */
const BYTES_OF_CREDIT = FREE_WORK.listCharacters.limit.perCredit
const ROWS_OF_CREDIT = FREE_WORK.listLines.limit.perCredit

type Work = "readBytes" | "readRows"

/**
 * Counts the bytes and rows of one file against the free work of its caller, piece by piece. What the caller's credits
 * can pay for counts at the end, when it is known how many addresses the list has.
 */
export class ReadBudget implements ReadMeter {
  readonly #ctx: Context
  readonly #subject: string
  readonly #renew: () => void
  #read = { bytes: 0, characters: 0, rows: 0 }
  readonly #counted = { readBytes: 0, readRows: 0 }
  /** Credits that may pay for the file, and those that do. */
  #credits = 0
  #paid = 0

  constructor(ctx: Context, subject: string, renew: () => void) {
    this.#ctx = ctx
    this.#subject = subject
    this.#renew = renew
  }

  /** Defers what so many credits can pay for. */
  defer(credits: number): void {
    this.#credits = credits
  }

  /** Names the credits that the list costs at most. */
  pay(credits: number): void {
    this.#paid = credits
  }

  /** @throws AppError rate_limited */
  async add({ bytes = 0, characters = 0, rows = 0 }: ReadWork): Promise<void> {
    this.#renew()
    const read = this.#read
    this.#read = { bytes: read.bytes + bytes, characters: read.characters + characters, rows: read.rows + rows }
    for (const work of ["readBytes", "readRows"] as const) {
      const more = this.#units(work) - this.#counted[work]
      if (more <= 0) continue
      const waitMs = await this.#reserve(work, more)
      if (waitMs !== null)
        throw tooMany(Math.ceil(waitMs / 1000), "free_work_exceeded", "too much was read for free in this minute")
      this.#counted[work] += more
    }
  }

  /** Counts what was deferred and is not paid for, up to the limit. */
  async settle(): Promise<void> {
    this.#credits = this.#paid
    for (const work of ["readBytes", "readRows"] as const) {
      let left = this.#units(work) - this.#counted[work]
      for (let part = left; part > 0; ) {
        const isCounted = (await this.#reserve(work, part)) === null
        if (isCounted) left -= part
        part = isCounted ? left : Math.floor(part / 2)
      }
    }
  }

  /** Units to count so far. A file counts at least one, so that a used-up budget refuses it at once. */
  #units(work: Work): number {
    const { bytes, characters, rows } = this.#read
    const free =
      work === "readBytes"
        ? Math.max(bytes, characters) - BYTES_OF_CREDIT * this.#credits
        : rows - ROWS_OF_CREDIT * this.#credits
    return Math.max(1, freeUnits(work, Math.max(0, free)))
  }

  #reserve(work: Work, units: number): Promise<number | null> {
    return reserveFreeWork(this.#ctx, work, this.#subject, units)
  }
}

/**
 * Reads a file when no other file of its caller is being read, and counts the work.
 * @throws AppError rate_limited when the caller's budget is used up, or too many files wait
 */
export async function inReadSlot<T>(
  ctx: Context,
  caller: Caller,
  read: (budget: ReadBudget) => Promise<T>,
): Promise<T> {
  const subject = limitSubjectOf(caller)
  const slot = await ctx.tables.slots.run(ctx.clock, subject, async (renew) => {
    const budget = new ReadBudget(ctx, subject, renew)
    try {
      await budget.add({})
      return await read(budget)
    } finally {
      await budget.settle()
    }
  })
  if (!slot)
    throw tooMany(BUSY_SECONDS, "rate_limited", "other files of this account are being read; send one file at a time")
  return slot.value
}
