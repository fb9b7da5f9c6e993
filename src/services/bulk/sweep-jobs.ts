import type { Context } from "../../context.ts"
import { dispatchChunks } from "./dispatch-chunks.ts"
import { endDueJobs } from "./end-due-jobs.ts"
import { finishJob } from "./finish-job.ts"
import { notifyPartial } from "./notify-partial.ts"

/** Time for the normal processing of a job's end. */
const FINISH_MS = 15_000
/** A list that is still arriving after this time is removed. */
const RECEIVE_MS = 30 * 60_000

/** Ends due jobs. Recovers from crashes and lost queue messages: expired chunks, pending events and job ends. */
export async function sweepJobs(ctx: Context): Promise<void> {
  await dispatchChunks(ctx)
  await endDueJobs(ctx)
  for (const { jobId } of await ctx.store.jobs.unsettled(ctx.clock.now() - FINISH_MS)) await finishJob(ctx, jobId)
  for (const { jobId } of await ctx.store.jobs.unreportedPartial()) await notifyPartial(ctx, jobId)
}

/** Removes lists whose upload was interrupted. */
export async function removeIncompleteLists(ctx: Context): Promise<void> {
  const now = ctx.clock.now()
  for (const jobId of await ctx.store.jobs.abandonReceiving(now - RECEIVE_MS, now)) {
    await ctx.store.charges.settle(jobId, 0)
    await ctx.store.jobIntake.drop(jobId)
  }
}
