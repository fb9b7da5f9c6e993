import type { Job } from "../../adapters/store/lists/jobs.ts"
import type { Context } from "../../context.ts"
import { endsAtOf, estimateSeconds, isOver } from "../../domain/lists/job.ts"
import { retriesUntil } from "../../domain/verification/next-attempt.ts"
import { findJob } from "./job-results.ts"

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
      ...job,
      nextAttemptAt: nextRetryAt,
      retriesUntil: plan && retriesUntil(plan),
      estimatedSeconds: estimateSeconds({ ...job, ...schedule, endsAt }, now),
    }
  })
}

export async function forecast(ctx: Context, job: Job): Promise<Forecast> {
  return (await forecastAll(ctx, [job]))[0]!
}

const POLL_MS = 1_000
/** Proxies close idle connections. Clients reconnect after the end. */
const KEEP_ALIVE_POLLS = 15
const POLLS = 600
/** A key that is revoked, or an account that is suspended, gets no more events after 5 s. */
const AUTHORIZE_EVERY_POLLS = 5

/**
 * Yields the job after each change, for at most ten minutes, and null as a keep-alive every 15 s.
 * @param mayGoOn whether the caller is still authorized
 */
export async function* watchJob(
  ctx: Context,
  which: { jobId: string; accountId: string },
  mayGoOn: () => Promise<boolean>,
): AsyncGenerator<Forecast | null> {
  let shown = ""
  let silent = 0
  for (let poll = 0; poll < POLLS; poll++) {
    if (poll % AUTHORIZE_EVERY_POLLS === AUTHORIZE_EVERY_POLLS - 1 && !(await mayGoOn())) return
    const job = await findJob(ctx, which)
    const state = `${job.status} ${job.done} ${job.firstPassAt}`
    if (state !== shown || ++silent >= KEEP_ALIVE_POLLS) {
      yield state === shown ? null : await forecast(ctx, job)
      silent = 0
    }
    shown = state
    if (isOver(job)) return
    await ctx.clock.sleep(POLL_MS)
  }
}
