import type { Job } from "../../adapters/store/lists/jobs.ts"
import type { Context } from "../../context.ts"
import { endsAtOf, estimateSeconds, isOver } from "../../domain/lists/job.ts"
import { retriesUntil } from "../../domain/verification/next-attempt.ts"

/** A job with what lies ahead of it. All are null when it is over. */
export interface Forecast extends Job {
  /** When the next planned retry is due, Unix ms; null without one. */
  readonly nextAttemptAt: number | null
  /** When the last retry is due if an address needs all of them, Unix ms; null without a planned one. */
  readonly retriesUntil: number | null
  readonly estimatedSeconds: number | null
}

/** Adds to jobs what lies ahead of them, with one statement for all that run. */
export async function forecastAll(ctx: Context, jobs: readonly Job[]): Promise<Forecast[]> {
  const now = ctx.clock.now()
  const delaysMs = ctx.config.bulk.retryDelaysMs
  const running = jobs.filter((job) => !isOver(job)).map(({ jobId }) => jobId)
  const schedules = await ctx.store.jobs.schedules(running, now)
  return jobs.map((job) => {
    const schedule = schedules.get(job.jobId)
    if (!schedule) return { ...job, nextAttemptAt: null, retriesUntil: null, estimatedSeconds: null }
    const { nextRetryAt, lastRetryAt, passes } = schedule
    const endsAt = endsAtOf(job)
    const plan = lastRetryAt === null || passes === null ? null : { lastRetryAt, passes, delaysMs, endsAt }
    return {
      ...{ ...job, nextAttemptAt: nextRetryAt, retriesUntil: plan && retriesUntil(plan) },
      estimatedSeconds: estimateSeconds({ ...job, ...schedule, endsAt }, now),
    }
  })
}

export async function forecast(ctx: Context, job: Job): Promise<Forecast> {
  return (await forecastAll(ctx, [job]))[0]!
}
