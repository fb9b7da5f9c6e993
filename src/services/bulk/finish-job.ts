import type { DayCount } from "../../adapters/store/history.ts"
import type { Job } from "../../adapters/store/jobs.ts"
import type { Deps } from "../../deps.ts"
import { dayOf } from "../../domain/time.ts"
import { type AnnounceNeeds, announce } from "../webhooks/announce.ts"

export type FinishNeeds = AnnounceNeeds & Pick<Deps, "clock" | "jobs" | "jobIntake" | "charges">

/** Items counted at once: the database is waited for for three seconds. */
const ITEMS_AT_ONCE = 250_000

/**
 * Deals with the end of a job, which was written before: books what it cost, tells of it, and marks that as done. Each
 * step may be repeated, so a crash in between is made good by the sweeper.
 */
export async function finishJob(needs: FinishNeeds, jobId: string): Promise<void> {
  const job = await needs.jobs.byId(jobId)
  if (!job || job.completedAt === null || job.settledAt !== null) return
  if (job.kind === "turbo") return needs.jobIntake.drop(jobId)
  await needs.charges.settle(jobId, job.credits)
  await notifyJobFinished(needs, job)
  if (job.kind === "reverify") return needs.jobIntake.drop(jobId)
  const now = needs.clock.now()
  const counts: DayCount[] = []
  for (let from = 0; from < job.submitted && job.accountId !== null; from += ITEMS_AT_ONCE)
    for (const counted of await needs.jobs.tally(jobId, { from, count: ITEMS_AT_ONCE }))
      counts.push({ day: dayOf(now), ...counted })
  await needs.jobs.settle(jobId, { now, counts })
}

/** Writes the one event of a job's end down for delivery, however often this is called; it carries counts, never results. */
async function notifyJobFinished(needs: AnnounceNeeds, job: Job): Promise<void> {
  if (job.webhookUrl === null) return
  await announce(needs, {
    accountId: job.accountId,
    type: job.kind === "reverify" ? "reverify.completed" : job.status === "complete" ? "job.completed" : "job.failed",
    url: job.webhookUrl,
    about: job.completedEventId ?? job.jobId,
    data: {
      job_id: job.jobId,
      status: job.status,
      total: job.total,
      progress: job.done,
      failed: job.failed,
      summary: {
        valid: job.valid,
        invalid: job.invalid,
        accept_all: job.acceptAll,
        unknown: job.unknown,
        invalid_syntax: job.invalidSyntax,
      },
      completed_at: new Date(job.completedAt ?? job.createdAt).toISOString(),
    },
  })
}
