import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { JobOptions } from "../../adapters/store/lists/job-intake.ts"
import type { Job } from "../../adapters/store/lists/jobs.ts"
import type { Context } from "../../context.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { isOver } from "../../domain/lists/job.ts"
import { AppError } from "../../errors.ts"
import { findJob } from "./find-job.ts"
import { newJobId, planChunks } from "./receive-job.ts"
import { startReceived } from "./start-received.ts"

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
  if (!isOver(parent)) throw new AppError("conflict", "the job is still running; wait until it ends or cancel it")
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
      receiving: { jobId, start },
      total,
      options: { smtp, deduplicate, webhookUrl, finishWithin },
    })
    return { jobId, total }
  } catch (error) {
    await jobIntake.drop(jobId)
    throw error
  }
}
