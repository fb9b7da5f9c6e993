import type { Job } from "../../adapters/store/lists/jobs.ts"
import type { Context } from "../../context.ts"
import { AppError } from "../../errors.ts"
import { findJob } from "./find-job.ts"
import { finishJob } from "./finish-job.ts"

/** Cancels a job. Finished addresses stay charged. @throws AppError conflict when the job is over */
export async function cancelJob(ctx: Context, which: { jobId: string; accountId: string }): Promise<Job> {
  await findJob(ctx, which)
  const end = { now: ctx.clock.now(), eventId: `evt_${ctx.randomToken()}` }
  if (!(await ctx.store.jobs.cancel(which.jobId, end))) throw new AppError("conflict", "the job is already over")
  await finishJob(ctx, which.jobId)
  return findJob(ctx, which)
}
