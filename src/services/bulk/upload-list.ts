import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { Context } from "../../context.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { columnNames } from "../../domain/lists/column-names.ts"
import { storedFileName } from "../../domain/lists/job.ts"
import { invalidField } from "../../errors.ts"
import { inReadTurn, type ReadBudget } from "./read-budget.ts"
import { type FileFacts, fileFacts, readTable, type TableFile } from "./read-table.ts"
import { type Receiving, receiveJob } from "./receive-job.ts"
import { RowIntake } from "./row-intake.ts"
import { type SampleProjection, sampleList } from "./sample-list.ts"
import { allowanceOf, startReceived, tooManyLines } from "./start-received.ts"
import type { SubmitOptions } from "./submit-job.ts"

export interface UploadInput {
  readonly caller: Member
  readonly file: TableFile
  readonly fileName: string | null
  readonly options: SubmitOptions
}

export interface Upload {
  readonly kind: "job"
  readonly jobId: string
  readonly total: number
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly facts: FileFacts
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
  const { receiving, total, ...read } = await inReadTurn(ctx, caller, (budget) => receiveFile(ctx, budget, input))
  const { jobId, createdAt } = receiving
  try {
    if (options.sample) {
      const projection = await sampleList(ctx, meter, { jobId, accountId, total, smtp: options.smtp })
      await receiving.discard()
      return { kind: "sample", projection }
    }
    await startReceived(ctx, meter, { receiving, total, options })
    return { kind: "job", jobId, total, createdAt, ...read }
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
  { caller, file, fileName, options }: UploadInput,
): Promise<ReceivedFile> {
  const { accountId } = caller
  const room = await allowanceOf(ctx, caller)
  if (room.addresses < 1) throw room.refusal(1)
  // A sample is paid, the rest of its list is not.
  if (!options.sample) budget.defer(room.addresses)
  const read = await readTable(ctx, budget, file)
  const receiving = await receiveJob(ctx, {
    accountId,
    kind: "upload",
    parentId: null,
    fileName: storedFileName(fileName ?? ""),
  })
  const { jobId } = receiving
  try {
    const intake = new RowIntake(ctx, receiving, room)
    for await (const row of read.rows) {
      if (intake.rows >= room.lines) throw tooManyLines(room)
      await intake.add(row)
      if (receiving.payable() > room.addresses && !options.sample) throw room.refusal(receiving.payable())
    }
    await intake.flush()
    if (intake.addresses === 0) throw invalidField(["file"], "the file has no address")
    const { table, found } = read
    const header = columnNames(read.header, intake.width)
    const { delimiter, hasBom } = table
    await ctx.store.jobRows.describe({ jobId, header, emailColumn: found.column, rows: intake.rows, delimiter, hasBom })
    const total = await receiving.close(options.deduplicate)
    if (!options.sample) budget.pay(receiving.payable())
    const { rows, addresses } = intake
    return { receiving, total, facts: fileFacts(read, header), rows, withoutAddress: rows - addresses }
  } catch (error) {
    await receiving.discard()
    throw error
  }
}
