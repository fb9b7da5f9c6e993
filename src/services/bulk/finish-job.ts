import type { Job } from "../../adapters/store/jobs.ts"
import type { Deps } from "../../deps.ts"

export type FinishNeeds = Pick<Deps, "clock" | "log" | "jobs" | "jobIntake" | "charges" | "history">

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
  const now = needs.clock.now()
  if ((await needs.jobs.markSettled(jobId, now)) && job.accountId !== null) {
    const day = new Date(now).toISOString().slice(0, 10)
    const tally = await needs.jobs.tally(jobId)
    await needs.history.count(
      job.accountId,
      tally.map((counted) => ({ day, ...counted })),
    )
  }
}

/** Tells of a job's end. May be called again for the same job: `completedEventId`, set once with the end, names the one event. */
export async function notifyJobFinished({ log }: Pick<Deps, "log">, job: Job): Promise<void> {
  log("job_finished", {
    job: job.jobId,
    event: job.completedEventId,
    status: job.status,
    total: job.total,
    ms: (job.completedAt ?? 0) - job.createdAt,
  })
}
