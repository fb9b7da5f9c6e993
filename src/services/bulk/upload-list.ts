import type { UsageMeter } from "../../adapters/key-limiter/usage-meter.ts"
import type { Table } from "../../adapters/tables/open-table.ts"
import { yieldToEventLoop } from "../../concurrency/yield-to-event-loop.ts"
import type { Context } from "../../context.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { addressInCell } from "../../domain/bulk/cell-address.ts"
import { type FoundColumn, findEmailColumn } from "../../domain/bulk/email-column.ts"
import { storedFileName } from "../../domain/bulk/file-name.ts"
import { columnNamed, columnNames } from "../../domain/bulk/header.ts"
import { takeSample } from "../../domain/bulk/take-sample.ts"
import { invalidField } from "../../errors.ts"
import { inReadTurn, type ReadBudget } from "./read-budget.ts"
import { type Receiving, receiveJob } from "./receive-job.ts"
import { RowIntake } from "./row-intake.ts"
import { type SampleProjection, sampleList } from "./sample-list.ts"
import { allowanceOf, startReceived, tooManyLines } from "./start-received.ts"
import type { SubmitOptions } from "./submit-job.ts"

export interface UploadInput {
  readonly caller: Member
  readonly bytes: Uint8Array
  readonly fileName: string | null
  /** The caller declares plain text, in which commas do not separate columns. */
  readonly isText: boolean
  /** Name or number of the address column, null to detect it. */
  readonly column: string | null
  readonly options: SubmitOptions
}

export interface Upload {
  readonly kind: "job"
  readonly jobId: string
  readonly total: number
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly table: Pick<Table, "format" | "encoding" | "delimiter">
  readonly emailColumn: string
  readonly rows: number
  readonly withoutAddress: number
}

export interface SampledUpload {
  readonly kind: "sample"
  readonly projection: SampleProjection
}

/**
 * Creates a job from an uploaded list. Its rows are stored unchanged for the download. A failure leaves nothing stored,
 * and so does a sample.
 * @throws AppError invalid, payload_too_large, rate_limited
 */
export async function uploadList(ctx: Context, meter: UsageMeter, input: UploadInput): Promise<Upload | SampledUpload> {
  const { caller, options } = input
  const { accountId } = caller
  const { receiving, total, ...file } = await inReadTurn(ctx, caller, (budget) => receiveFile(ctx, budget, input))
  const { jobId, createdAt } = receiving
  try {
    if (options.sample) {
      const projection = await sampleList(ctx, meter, { jobId, accountId, total, smtp: options.smtp })
      await receiving.discard()
      return { kind: "sample", projection }
    }
    await startReceived(ctx, meter, { receiving, total, options })
    return { kind: "job", jobId, total, createdAt, ...file }
  } catch (error) {
    await receiving.discard()
    throw error
  }
}

type ReceivedFile = Omit<Upload, "kind" | "jobId" | "createdAt"> & { readonly receiving: Receiving }

/** Reads the file and stores its rows in a job that is not started. */
async function receiveFile(
  ctx: Context,
  budget: ReadBudget,
  { caller, bytes, fileName, isText, column, options }: UploadInput,
): Promise<ReceivedFile> {
  const { accountId } = caller
  const room = await allowanceOf(ctx, caller)
  if (room.addresses < 1) throw room.refusal(1)
  // A sample is paid, the rest of its list is not.
  if (!options.sample) budget.defer(room.addresses)
  const table = await ctx.tables.open(bytes, isText, budget)
  const records = table.records[Symbol.asyncIterator]()
  const sample = await takeSample(records)
  await yieldToEventLoop()
  const found = locateColumn(sample, column)
  const receiving = await receiveJob(ctx, {
    accountId,
    kind: "upload",
    parentId: null,
    fileName: storedFileName(fileName ?? ""),
  })
  const { jobId } = receiving
  try {
    const intake = new RowIntake(ctx, receiving, { column: found.column, room })
    for (const record of found.hasHeader ? sample.slice(1) : sample) await intake.add(record)
    for (let next = await records.next(); !next.done; next = await records.next()) {
      if (intake.rows >= room.lines) throw tooManyLines(room)
      await intake.add(next.value)
      if (receiving.payable() > room.addresses && !options.sample) throw room.refusal(receiving.payable())
    }
    await intake.flush()
    if (intake.addresses === 0) throw invalidField(["file"], "the file has no address")
    const header = columnNames(found.hasHeader ? sample[0]! : null, intake.width)
    const { delimiter, hasBom } = table
    const file = { header, emailColumn: found.column, rows: intake.rows, delimiter, hasBom }
    await ctx.store.jobRows.describe({ jobId, ...file })
    const total = await receiving.close(options.deduplicate)
    if (!options.sample) budget.pay(receiving.payable())
    const { rows, addresses } = intake
    return { receiving, total, table, emailColumn: header[found.column]!, rows, withoutAddress: rows - addresses }
  } catch (error) {
    await receiving.discard()
    throw error
  }
}

/** Finds the address column, or the one with the given name or number. @throws AppError invalid */
export function locateColumn(sample: readonly (readonly string[])[], column: string | null): FoundColumn {
  const found = findEmailColumn(sample)
  if (column === null) {
    if (!found) throw invalidField(["file"], "no address column was found; name it with email_column")
    return found
  }
  const named = columnNamed(column, columnNames(sample[0] ?? [], 0))
  if (named === null) throw invalidField(["file"], `the file has no column ${JSON.stringify(column.slice(0, 100))}`)
  const cell = addressInCell(sample[0]?.[named] ?? "")
  return { column: named, hasHeader: !parseAddress(cell).ok && !cell.includes("@") }
}
