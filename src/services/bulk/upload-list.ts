import type { JobOptions } from "../../adapters/store/job-intake.ts"
import { openTable, type Table } from "../../adapters/tables/open-table.ts"
import { unreadable } from "../../adapters/tables/table-problem.ts"
import type { Deps } from "../../deps.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { addressInCell } from "../../domain/tables/cell-address.ts"
import { type FoundColumn, findEmailColumn } from "../../domain/tables/email-column.ts"
import { keptFileName } from "../../domain/tables/file-name.ts"
import { columnNamed, columnNames } from "../../domain/tables/header.ts"
import { type ReceiveNeeds, receiveJob } from "./receive-job.ts"
import { RowIntake } from "./row-intake.ts"
import { roomOf, type StartNeeds, startReceived, tooManyLines } from "./start-received.ts"

type Needs = ReceiveNeeds & StartNeeds & Pick<Deps, "jobRows">

export interface UploadInput {
  readonly caller: Member
  readonly bytes: Uint8Array
  readonly fileName: string | null
  /** Said to be text, in which commas stay together. */
  readonly isText: boolean
  /** Name or number of the column with the addresses; null to find it. */
  readonly column: string | null
  readonly options: JobOptions
}

export interface Upload {
  readonly jobId: string
  readonly total: number
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly table: Pick<Table, "format" | "encoding" | "delimiter">
  readonly emailColumn: string
  readonly rows: number
  readonly withoutAddress: number
}

/** Records looked at to find the column. */
const SAMPLE = 100

/**
 * Makes a job of an uploaded list. Its rows are kept as they are for the download; all or nothing.
 * @throws AppError invalid, payload_too_large, rate_limited
 */
export async function uploadList(
  needs: Needs,
  { caller, bytes, fileName, isText, column, options }: UploadInput,
): Promise<Upload> {
  const table = await openTable(bytes, isText)
  const records = table.records[Symbol.asyncIterator]()
  const sample = await take(records, SAMPLE)
  const found = locate(sample, column)
  const { accountId } = caller
  const room = await roomOf(needs, caller)
  if (room.addresses < 1) throw room.refusal()
  const receiving = await receiveJob(needs, {
    accountId,
    kind: "upload",
    parentId: null,
    fileName: keptFileName(fileName ?? ""),
  })
  const { jobId, createdAt } = receiving
  try {
    const intake = new RowIntake(needs, receiving, { column: found.column, room })
    for (const record of found.hasHeader ? sample.slice(1) : sample) await intake.add(record)
    for (let next = await records.next(); !next.done; next = await records.next()) {
      if (intake.rows >= room.lines) throw tooManyLines(room)
      await intake.add(next.value)
      if (receiving.payable() > room.addresses) throw room.refusal()
    }
    await intake.flush()
    if (intake.addresses === 0) throw unreadable("there is no address in the file")
    const header = columnNames(found.hasHeader ? sample[0]! : null, intake.width)
    await needs.jobRows.describe({ jobId, header, emailColumn: found.column, rows: intake.rows })
    const total = await receiving.close(options.deduplicate)
    await startReceived(needs, receiving, { total, options })
    const withoutAddress = intake.rows - intake.addresses
    return { jobId, total, createdAt, table, emailColumn: header[found.column]!, rows: intake.rows, withoutAddress }
  } catch (error) {
    await receiving.discard()
    throw error
  }
}

function locate(sample: readonly (readonly string[])[], column: string | null): FoundColumn {
  const found = findEmailColumn(sample)
  if (column === null) {
    if (!found) throw unreadable("no column of addresses was found; name it with email_column")
    return found
  }
  const named = columnNamed(column, columnNames(sample[0] ?? [], 0))
  if (named === null) throw unreadable(`there is no column ${JSON.stringify(column.slice(0, 100))} in the file`)
  const cell = addressInCell(sample[0]?.[named] ?? "")
  return { column: named, hasHeader: !parseAddress(cell).ok && !cell.includes("@") }
}

async function take<T>(iterator: AsyncIterator<T>, count: number): Promise<T[]> {
  const taken: T[] = []
  while (taken.length < count) {
    const next = await iterator.next()
    if (next.done) break
    taken.push(next.value)
  }
  return taken
}
