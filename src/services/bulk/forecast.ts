import type { Job } from "../../adapters/store/jobs/jobs.ts"
import type { Context } from "../../context.ts"
import { endsAtOf } from "../../domain/bulk/finish-within.ts"
import { isOver } from "../../domain/bulk/job-state.ts"
import { estimateSeconds } from "../../domain/bulk/progress.ts"

/** A job with what lies ahead of it. Both are null when it is over. */
export interface Forecast extends Job {
  /** When the next planned retry is due, Unix ms; null without one. */
  readonly nextAttemptAt: number | null
  readonly estimatedSeconds: number | null
}

/** Adds to jobs what lies ahead of them, with one statement for all that run. */
export async function forecastAll(ctx: Context, jobs: readonly Job[]): Promise<Forecast[]> {
  const now = ctx.clock.now()
  const running = jobs.filter((job) => !isOver(job)).map(({ jobId }) => jobId)
  const schedules = await ctx.store.jobs.schedules(running, now)
  return jobs.map((job) => {
    const schedule = schedules.get(job.jobId)
    if (!schedule) return { ...job, nextAttemptAt: null, estimatedSeconds: null }
    const estimatedSeconds = estimateSeconds({ ...job, ...schedule, endsAt: endsAtOf(job) }, now)
    return { ...job, nextAttemptAt: schedule.nextRetryAt, estimatedSeconds }
  })
}

export async function forecast(ctx: Context, job: Job): Promise<Forecast> {
  return (await forecastAll(ctx, [job]))[0]!
}
