/** What the estimate of a running job needs. Times are Unix ms. */
export interface Pace {
  readonly total: number
  readonly done: number
  readonly startedAt: number | null
  /** When only retries were left; null during the first pass. */
  readonly firstPassAt: number | null
  /** When the last planned retry is due; null without a planned one. */
  readonly lastRetryAt: number | null
  /** Chunks are running, or could run now. */
  readonly isBusy: boolean
  /** When the job ends at the latest; null without a limit. */
  readonly endsAt: number | null
}

/** Addresses that a job verifies per second, before its own pace is known. */
const USUAL_PER_SECOND = 300
/** After less working time the measured pace is an accident of the first chunk. */
const SHORTEST_MEASURED_MS = 2_000
/** A retry takes about this long. */
const RETRY_MS = 5_000

/**
 * Estimates the rest of a running job, in whole seconds, at least 1. The pace is that of the first pass: waits for
 * retries are no work. Each address counts as settled by its next planned retry, although a later one may be needed.
 * @param now Unix ms
 */
export function estimateSeconds(pace: Pace, now: number): number {
  const { total, done, lastRetryAt, isBusy, endsAt } = pace
  const workMs = isBusy || lastRetryAt === null ? ((total - done) * 1_000) / perSecond(pace, now) : 0
  const retryMs = lastRetryAt === null ? 0 : Math.max(0, lastRetryAt - now) + RETRY_MS
  const restMs = Math.max(workMs, retryMs)
  const limitMs = endsAt === null ? restMs : Math.max(0, endsAt - now)
  return Math.max(1, Math.ceil(Math.min(restMs, limitMs) / 1_000))
}

function perSecond({ done, startedAt, firstPassAt }: Pace, now: number): number {
  const workedMs = (firstPassAt ?? now) - (startedAt ?? now)
  return done > 0 && workedMs >= SHORTEST_MEASURED_MS ? (done * 1_000) / workedMs : USUAL_PER_SECOND
}
