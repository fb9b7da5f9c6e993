import type { DayCount } from "../../adapters/store/accounts/history.ts"
import type { Job } from "../../adapters/store/lists/jobs.ts"
import type { Context } from "../../context.ts"
import { cancelledAtOf } from "../../domain/lists/job.ts"
import { dayOf, iso } from "../../domain/time.ts"
import { publishEvent } from "../webhooks/publish-event.ts"
import { countsOf } from "./notify-partial.ts"

/** Items counted in one statement: the database times out after three seconds. */
const ITEMS_AT_ONCE = 250_000

/**
 * Processes the end of a job: settles the charge, sends the event and marks the job as settled. Each step is
 * repeatable, so the sweeper can redo it after a crash.
 */
export async function finishJob(ctx: Context, jobId: string): Promise<void> {
  const job = await ctx.store.jobs.byId(jobId)
  if (!job || job.completedAt === null || job.settledAt !== null) return
  if (job.kind === "turbo") return ctx.store.jobIntake.drop(jobId)
  await ctx.store.charges.settle(jobId, job.credits)
  await notifyJobFinished(ctx, job)
  const now = ctx.clock.now()
  const counts: DayCount[] = []
  for (let from = 0; from < job.submitted && job.accountId !== null; from += ITEMS_AT_ONCE)
    for (const counted of await ctx.store.jobs.countByStatus(jobId, { from, count: ITEMS_AT_ONCE }))
      counts.push({ day: dayOf(now), ...counted })
  await ctx.store.jobs.settle(jobId, { now, counts })
}

/** Enqueues the single event of a job's end, also when called repeatedly. It carries counts, never results. */
async function notifyJobFinished(ctx: Context, job: Job): Promise<void> {
  await publishEvent(ctx, {
    accountId: job.accountId,
    type: job.kind === "reverify" ? "reverify.completed" : job.status === "complete" ? "job.completed" : "job.failed",
    url: job.webhookUrl,
    about: job.completedEventId ?? job.jobId,
    data: () => ({
      ...countsOf(job),
      completed_at: new Date(job.completedAt ?? job.createdAt).toISOString(),
      cancelled_at: iso(cancelledAtOf(job)),
    }),
  })
}
