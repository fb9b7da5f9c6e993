import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { JobOptions } from "../../adapters/store/lists/job-intake.ts"
import type { Job } from "../../adapters/store/lists/jobs.ts"
import type { Context } from "../../context.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { isOver } from "../../domain/lists/job.ts"
import { addressInEntry } from "../../domain/lists/list-addresses.ts"
import { ListReader } from "../../domain/lists/read-list.ts"
import { MAX_SAMPLE } from "../../domain/lists/sample-plan.ts"
import { AppError, bodyTooLarge, invalidField } from "../../errors.ts"
import { pricesFor } from "../accounts/charge.ts"
import { findJob } from "./job-results.ts"
import { newJobId, planChunks, type Receiving, receiveJob } from "./receive-job.ts"
import { type SampleProjection, sampleList } from "./sample-list.ts"
import { allowanceOf, type ListAllowance, startReceived, tooManyLines } from "./start-job.ts"

export interface SubmitOptions extends JobOptions {
  /** Verify a sample and project it to the whole list; nothing is stored. */
  readonly sample: boolean
}

interface SubmitInput {
  readonly caller: Member
  readonly body: AsyncIterable<Uint8Array>
  readonly maxBytes: number
  /** Validates the fields beside the list. @throws AppError invalid */
  readonly readOptions: (fields: Readonly<Record<string, unknown>>) => SubmitOptions | Promise<SubmitOptions>
  /**
   * Called when the whole list has arrived, before it is started or charged.
   * @returns the meter that pays. Null when an earlier call has created the job
   */
  readonly claim?: () => Promise<UsageMeter | null>
}

type Submission =
  | { readonly kind: "job"; readonly jobId: string; readonly total: number; readonly createdAt: number }
  | { readonly kind: "sample"; readonly projection: SampleProjection }
  /** An earlier call has created the job. This call left nothing. */
  | { readonly kind: "answered" }

/**
 * Creates a job from a list of any length while its body arrives: rows, then credits, then the work. A malformed body
 * or too few credits leave nothing stored. A caller over a limit causes no writes.
 */
export async function submitJob(ctx: Context, meter: UsageMeter, input: SubmitInput): Promise<Submission> {
  const { accountId } = input.caller
  await meter.authorize()
  const allowance = await allowanceOf(ctx, input.caller)
  if (allowance.addresses < 1) throw allowance.refusal(1)
  const receiving = await receiveJob(ctx, { accountId, kind: "async", parentId: null })
  try {
    const options = await readBody(receiving, { ...input, allowance })
    const paying = input.claim ? await input.claim() : meter
    if (!paying) {
      await receiving.discard()
      return { kind: "answered" }
    }
    const total = await receiving.close(options.deduplicate)
    if (options.sample) {
      const projection = await sampleList(ctx, paying, {
        jobId: receiving.jobId,
        accountId,
        total,
        smtp: options.smtp,
      })
      await receiving.discard()
      return { kind: "sample", projection }
    }
    await startReceived(ctx, paying, { receiving, options })
    const { jobId, createdAt } = receiving
    return { kind: "job", jobId, total, createdAt }
  } catch (error) {
    await receiving.discard()
    throw error
  }
}

async function readBody(
  receiving: Receiving,
  { body, maxBytes, readOptions, allowance }: SubmitInput & { allowance: ListAllowance },
): Promise<SubmitOptions> {
  const reader = new ListReader("emails")
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false })
  let [bytes, lines] = [0, 0]
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > maxBytes) throw bodyTooLarge(maxBytes)
    const emails = reader.push(decode(decoder, piece))
    const isSample = reader.option("sample") === true
    lines += emails.length
    // A sample's list is not stored.
    if (!isSample || allowance.addresses < MAX_SAMPLE) {
      if (lines > allowance.lines) throw tooManyLines(allowance)
      await allowance.countStored(piece.length, emails.length)
    }
    await receiving.add(emails.map(addressInEntry))
    if (reader.failed) break
    if (receiving.payable() > allowance.addresses && !isSample) throw allowance.refusal(receiving.payable())
  }
  const read = reader.end()
  if (!read.ok) throw new AppError("invalid_request", "invalid request", { fields: [read.problem] })
  return readOptions(read.options)
}

function decode(decoder: Pick<InstanceType<typeof TextDecoder>, "decode">, piece: Uint8Array): string {
  try {
    return decoder.decode(piece, { stream: true })
  } catch {
    throw invalidField([], "the body is not well-formed UTF-8", "json_invalid")
  }
}

/**
 * Creates a child job of a job's failed addresses, with the same options and a fresh budget of attempts. Each address
 * moves once. `unfinished` also moves the unprocessed addresses of a canceled job.
 * @throws AppError conflict when the job is running or has nothing left to retry
 */
export async function retryJob(
  ctx: Context,
  meter: UsageMeter,
  { jobId: parentId, caller, unfinished }: { jobId: string; caller: Member; unfinished: boolean },
): Promise<Pick<Job, "jobId" | "total">> {
  const { clock } = ctx
  const { jobIntake } = ctx.store
  const parent = await findJob(ctx, { jobId: parentId, accountId: caller.accountId })
  if (!isOver(parent)) throw new AppError("job_not_ready", "the job is still running; wait until it ends or cancel it")
  await meter.authorize()
  const [jobId, createdAt] = [newJobId(ctx), clock.now()]
  const { accountId } = caller
  await jobIntake.open({ jobId, accountId, kind: "retry", parentId, fileName: parent.fileName, createdAt })
  try {
    const total = await jobIntake.copyFailed(jobId, { parentId, unfinished })
    if (total === 0) throw new AppError("conflict", "no failed addresses are left to retry")
    await planChunks(ctx, { jobId, createdAt })
    const { smtp, deduplicate, webhookUrl, finishWithin } = parent
    const start = (options: JobOptions) => jobIntake.start(jobId, { ...options, submitted: total, total })
    await startReceived(ctx, meter, {
      receiving: { jobId, price: pricesFor(ctx, accountId), start },
      options: { smtp, deduplicate, webhookUrl, finishWithin },
    })
    return { jobId, total }
  } catch (error) {
    await jobIntake.drop(jobId)
    throw error
  }
}
