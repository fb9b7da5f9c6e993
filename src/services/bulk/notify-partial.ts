import type { Job } from "../../adapters/store/lists/jobs.ts"
import type { Context } from "../../context.ts"
import { shownStatusOf, summaryOf } from "../../domain/lists/job.ts"
import { iso } from "../../domain/time.ts"
import { publishEvent } from "../webhooks/publish-event.ts"

/** Enqueues the single event of a job that only retries are left of, also when called repeatedly. */
export async function notifyPartial(ctx: Context, jobId: string): Promise<void> {
  const job = await ctx.store.jobs.byId(jobId)
  if (job?.status !== "running" || job.firstPassAt === null) return
  const now = ctx.clock.now()
  const schedules = await ctx.store.jobs.schedules([jobId], now)
  await publishEvent(ctx, {
    accountId: job.accountId,
    type: "job.partial",
    url: job.webhookUrl,
    about: jobId,
    data: () => ({
      ...countsOf(job),
      partial: true,
      pending: job.total - job.done,
      next_attempt_at: iso(schedules.get(jobId)?.nextRetryAt ?? null),
    }),
  })
  await ctx.store.jobs.setPartialNotified(jobId, now)
}

/** The counts of a job in its events, which carry no results. */
export function countsOf(job: Job) {
  return {
    job_id: job.jobId,
    status: shownStatusOf(job),
    total: job.total,
    progress: job.done,
    failed: job.failed,
    summary: summaryOf(job),
  }
}
