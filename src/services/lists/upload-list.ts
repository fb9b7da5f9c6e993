import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { NewRow } from "../../adapters/store/lists/job-results.ts"
import type { Context } from "../../context.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { columnNames } from "../../domain/lists/column-names.ts"
import { storedFileName } from "../../domain/lists/job.ts"
import { TABLE_LIMITS } from "../../domain/lists/uploaded-file.ts"
import { invalidField, tooLarge } from "../../errors.ts"
import {
  type FileFacts,
  fileFacts,
  inReadSlot,
  type ReadBudget,
  readTable,
  type TableFile,
  type TableRow,
} from "./read-table.ts"
import { type Receiving, receiveJob } from "./receive-job.ts"
import { type SampleProjection, sampleList } from "./sample-list.ts"
import { allowanceOf, type ListAllowance, startReceived, tooManyLines } from "./start-job.ts"
import type { SubmitOptions } from "./submit-job.ts"

interface UploadInput {
  readonly caller: Member
  readonly file: TableFile
  readonly fileName: string | null
  readonly options: SubmitOptions
}

interface Upload {
  readonly kind: "job"
  readonly jobId: string
  readonly total: number
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly facts: FileFacts
  readonly rows: number
  readonly withoutAddress: number
}

/**
 * Creates a job from an uploaded list. Its rows are stored unchanged for the download. A failure leaves nothing stored,
 * and so does a sample.
 * @throws AppError invalid, payload_too_large, rate_limited
 */
export async function uploadList(
  ctx: Context,
  meter: UsageMeter,
  input: UploadInput,
): Promise<Upload | { readonly kind: "sample"; readonly projection: SampleProjection }> {
  const { caller, options } = input
  const { accountId } = caller
  const { receiving, total, ...read } = await inReadSlot(ctx, caller, (budget) => receiveFile(ctx, budget, input))
  const { jobId, createdAt } = receiving
  try {
    if (options.sample) {
      const projection = await sampleList(ctx, meter, { jobId, accountId, total, smtp: options.smtp })
      await receiving.discard()
      return { kind: "sample", projection }
    }
    await startReceived(ctx, meter, { receiving, options })
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
  const allowance = await allowanceOf(ctx, caller)
  if (allowance.addresses < 1) throw allowance.refusal(1)
  // A sample is paid, the rest of its list is not.
  if (!options.sample) budget.defer(allowance.addresses)
  const read = await readTable(ctx, budget, file)
  const receiving = await receiveJob(ctx, {
    accountId,
    kind: "upload",
    parentId: null,
    fileName: storedFileName(fileName ?? ""),
  })
  const { jobId } = receiving
  try {
    const intake = new RowIntake(ctx, receiving, allowance)
    for await (const row of read.rows) {
      if (intake.rows >= allowance.lines) throw tooManyLines(allowance)
      await intake.add(row)
      if (receiving.payable() > allowance.addresses && !options.sample) throw allowance.refusal(receiving.payable())
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

const ROWS_AT_ONCE = 1_000
/** Characters written at once: a workbook may repeat a long text a million times. */
const CHARACTERS_AT_ONCE = 500_000

/** Writes rows and their addresses together, in batches bounded by number and by size. */
class RowIntake {
  rows = 0
  addresses = 0
  width = 0
  readonly #ctx: Context
  readonly #receiving: Receiving
  readonly #allowance: Pick<ListAllowance, "countStored">
  #waiting: NewRow[] = []
  #emails: string[] = []
  #waitingCharacters = 0

  constructor(ctx: Context, receiving: Receiving, allowance: Pick<ListAllowance, "countStored">) {
    this.#ctx = ctx
    this.#receiving = receiving
    this.#allowance = allowance
  }

  async add({ cells, address }: TableRow): Promise<void> {
    const characters = cells.reduce((sum, { length }) => sum + length, 0)
    if (this.rows >= TABLE_LIMITS.records) throw tooLarge(`a file may have at most ${TABLE_LIMITS.records} rows`)
    const idx = address && this.addresses++
    this.#waiting.push({ row: this.rows++, cells, idx, mailbox: address?.mailbox ?? null })
    if (address) this.#emails.push(address.email)
    this.width = Math.max(this.width, cells.length)
    this.#waitingCharacters += characters
    if (this.#waiting.length >= ROWS_AT_ONCE || this.#waitingCharacters >= CHARACTERS_AT_ONCE) await this.flush()
  }

  /** @throws AppError rate_limited */
  async flush(): Promise<void> {
    await this.#allowance.countStored(this.#waitingCharacters, this.#waiting.length)
    await this.#ctx.store.jobRows.add(this.#receiving.jobId, this.#waiting)
    await this.#receiving.add(this.#emails)
    this.#waiting = []
    this.#emails = []
    this.#waitingCharacters = 0
  }
}
