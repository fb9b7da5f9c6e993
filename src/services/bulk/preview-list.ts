import type { Table } from "../../adapters/tables/open-table.ts"
import { TurnBudget, yieldToEventLoop } from "../../concurrency/yield-to-event-loop.ts"
import type { Context } from "../../context.ts"
import { AddressReader } from "../../domain/bulk/address-reader.ts"
import { columnNames } from "../../domain/bulk/header.ts"
import { TABLE_LIMITS } from "../../domain/bulk/table-limits.ts"
import { takeSample } from "../../domain/bulk/take-sample.ts"
import { tooLarge } from "../../errors.ts"
import { inReadTurn, type ReadBudget } from "./read-budget.ts"
import { locateColumn, type UploadInput } from "./upload-list.ts"

export interface ListPreview {
  readonly table: Pick<Table, "format" | "encoding" | "delimiter">
  /** Names, or "column_2" for a column without a name. */
  readonly columns: readonly string[]
  /** Index of the address column, from 0. */
  readonly emailColumn: number
  readonly hasHeader: boolean
  /** The first rows below the header. Long cells are cut. */
  readonly firstRows: readonly (readonly string[])[]
  /** Rows below the header. */
  readonly rows: number
  /** Well-formed addresses, with duplicates: the most that the list can cost in verifications. */
  readonly addresses: number
}

const ROWS_SHOWN = 5
const CELL_SHOWN = 200

/**
 * Reads a file as an upload does, and neither stores nor verifies anything.
 * @throws AppError invalid, payload_too_large, rate_limited
 */
export async function previewList(
  ctx: Context,
  { caller, ...file }: Pick<UploadInput, "caller" | "bytes" | "isText" | "column">,
): Promise<ListPreview> {
  return inReadTurn(ctx, caller, (budget) => readPreview(ctx, budget, file))
}

async function readPreview(
  ctx: Context,
  budget: ReadBudget,
  { bytes, isText, column }: Pick<UploadInput, "bytes" | "isText" | "column">,
): Promise<ListPreview> {
  const table = await ctx.tables.open(bytes, isText, budget)
  const records = table.records[Symbol.asyncIterator]()
  const sample = await takeSample(records)
  await yieldToEventLoop()
  const { column: emailColumn, hasHeader } = locateColumn(sample, column)
  const reader = new AddressReader()
  const turn = new TurnBudget()
  let [rows, addresses, width] = [0, 0, 0]
  async function add(cells: readonly string[]): Promise<void> {
    if (rows++ >= TABLE_LIMITS.records) throw tooLarge(`a file may have at most ${TABLE_LIMITS.records} rows`)
    width = Math.max(width, cells.length)
    const cell = cells[emailColumn] ?? ""
    if (reader.readCell(cell).domain !== "") addresses++
    if (turn.isOver(cell.length)) await yieldToEventLoop()
  }
  const data = hasHeader ? sample.slice(1) : sample
  for (const record of data) await add(record)
  for (let next = await records.next(); !next.done; next = await records.next()) await add(next.value)
  return {
    table,
    columns: columnNames(hasHeader ? sample[0]! : null, width),
    emailColumn,
    hasHeader,
    firstRows: data.slice(0, ROWS_SHOWN).map((cells) => cells.map((cell) => cell.slice(0, CELL_SHOWN))),
    rows,
    addresses,
  }
}
