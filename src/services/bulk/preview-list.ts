import type { Context } from "../../context.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { columnNames } from "../../domain/lists/column-names.ts"
import { TABLE_LIMITS } from "../../domain/lists/uploaded-file.ts"
import { tooLarge } from "../../errors.ts"
import { inReadTurn, type ReadBudget } from "./read-budget.ts"
import { type FileFacts, fileFacts, readTable, type TableFile } from "./read-table.ts"

export interface ListPreview {
  readonly facts: FileFacts
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
export async function previewList(ctx: Context, caller: Member, file: TableFile): Promise<ListPreview> {
  return inReadTurn(ctx, caller, (budget) => readPreview(ctx, budget, file))
}

async function readPreview(ctx: Context, budget: ReadBudget, file: TableFile): Promise<ListPreview> {
  const read = await readTable(ctx, budget, file)
  const firstRows: (readonly string[])[] = []
  let [rows, addresses, width] = [0, 0, 0]
  for await (const { cells, address } of read.rows) {
    if (rows++ >= TABLE_LIMITS.records) throw tooLarge(`a file may have at most ${TABLE_LIMITS.records} rows`)
    width = Math.max(width, cells.length)
    if (address && address.domain !== "") addresses++
    if (firstRows.length < ROWS_SHOWN) firstRows.push(cells.map((cell) => cell.slice(0, CELL_SHOWN)))
  }
  const columns = columnNames(read.header, width)
  return {
    facts: fileFacts(read, columns),
    columns,
    emailColumn: read.found.column,
    hasHeader: read.header !== null,
    ...{ firstRows, rows, addresses },
  }
}
