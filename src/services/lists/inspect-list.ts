import { YieldBudget, yieldToEventLoop } from "../../concurrency/yield-to-event-loop.ts"
import type { Context } from "../../context.ts"
import type { Caller, Member } from "../../domain/accounts/caller.ts"
import { columnNames } from "../../domain/lists/column-names.ts"
import { MailboxGroups } from "../../domain/lists/list-addresses.ts"
import { TABLE_LIMITS } from "../../domain/lists/uploaded-file.ts"
import { tooLarge } from "../../errors.ts"
import { type FileFacts, fileFacts, inReadSlot, type ReadBudget, readTable, type TableFile } from "./read-table.ts"

interface ListPreview {
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
  return inReadSlot(ctx, caller, (budget) => readPreview(ctx, budget, file))
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
    firstRows,
    rows,
    addresses,
  }
}

/**
 * Groups a list by mailbox. Other requests get the thread while a long list is read.
 * @throws AppError rate_limited
 */
export async function groupMailboxes(
  ctx: Context,
  { caller, emails }: { readonly caller: Caller; readonly emails: readonly string[] },
) {
  return inReadSlot(ctx, caller, async (budget) => {
    const groups = new MailboxGroups()
    const untilYield = new YieldBudget()
    let bytes = 0
    for (const email of emails) {
      groups.add(email)
      bytes += email.length
      if (!untilYield.isOver(email.length)) continue
      await budget.add({ bytes })
      bytes = 0
      await yieldToEventLoop()
    }
    await budget.add({ bytes })
    return { groups: groups.list(), repaired: groups.repaired }
  })
}
