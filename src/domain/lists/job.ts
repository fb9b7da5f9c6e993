import type { JobStatus, Status } from "../../../schema/vocabulary.ts"
import { shownText } from "../address/address-forms.ts"

export function isOver({ status }: { readonly status: JobStatus }): boolean {
  return status === "complete" || status === "failed" || status === "cancelled"
}

/** The states of a job that callers see. A job whose rows still arrive is invisible to them. */
export const SHOWN_STATUSES = ["queued", "running", "complete", "failed"] as const

/** The state that callers see. A canceled job has `failed` and a `cancelled_at`. */
export function shownStatusOf({ status }: { readonly status: JobStatus }): (typeof SHOWN_STATUSES)[number] {
  if (status === "cancelled") return "failed"
  return status === "receiving" ? "queued" : status
}

/** When the job was canceled, Unix ms; null for any other job. */
export function cancelledAtOf(job: { readonly status: JobStatus; readonly completedAt: number | null }): number | null {
  return job.status === "cancelled" ? job.completedAt : null
}

/** The number of finished addresses of a job by status, as answers and events have it. */
export function summaryOf({
  valid,
  invalid,
  acceptAll,
  unknown,
  invalidSyntax,
}: Record<"valid" | "invalid" | "acceptAll" | "unknown" | "invalidSyntax", number>): Record<Status, number> {
  return { valid, invalid, accept_all: acceptAll, unknown, invalid_syntax: invalidSyntax }
}

/** Bounds of `finish_within`, in seconds. */
export const FINISH_WITHIN = { min: 10, max: 86_400 } as const

/** When a job ends at the latest, Unix ms. Null: it ends with its last retry. @param createdAt Unix ms */
export function endsAtOf(job: { createdAt: number; finishWithin: number | null }): number | null {
  return job.finishWithin === null ? null : job.createdAt + job.finishWithin * 1_000
}

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

/** Returns the file name to store. Null for a name that may contain an address, which an erasure would not find. */
export function storedFileName(given: string): string | null {
  const name = shownText(given.trim())
  return name === "" || name.includes("@") ? null : name
}

/** A position in a job's items, which are processed in the order of their domains. */
export interface Position {
  readonly domain: string
  readonly idx: number
}

/** Before every item. Malformed addresses have the domain "". */
export const FIRST_POSITION: Position = { domain: "", idx: -1 }

/** Addresses per chunk: enough for sessions of many recipients, few enough to finish well within a lease. */
export const CHUNK_SIZE = 150

/** Knuth's multiplicative hash, 2^32 / golden ratio. */
const SPREAD = 2_654_435_761

/**
 * The due time of a chunk, within the second before `createdAt`. Chunks are scattered, so that the chunks of one large
 * domain do not run at the same time. @param createdAt Unix ms, of the job
 */
export function dispatchOrderOf(chunk: number, createdAt: number): number {
  return createdAt - 1_000 + Math.floor((((chunk * SPREAD) % 2 ** 32) * 1_000) / 2 ** 32)
}

/** A job with chunks to dispatch. */
export interface WaitingJob {
  readonly jobId: string
  /** The account, or the kind of a job without an account. Their jobs share, whatever their number and size. */
  readonly queueKey: string
  /** The part of the queue key when others wait too: one with 2 gets twice as many chunks as one with 1. */
  readonly weight: number
  /** Dispatched and unfinished chunks, and chunks that may be dispatched. */
  readonly inFlight: number
  readonly ready: number
}

/**
 * Fair queue: how many chunks of each job to dispatch next. Each chunk goes to the queue key with the fewest chunks in
 * flight for its weight, and there to the job with the fewest, the older first. So no key waits for others to end, however
 * heavy they are. `perQueue` reserves space for new accounts.
 * @param jobs oldest first
 * @param limits maximum chunks in flight, in total and per queue key
 */
export function allocateChunks(
  jobs: readonly WaitingJob[],
  { total, perQueue }: { total: number; perQueue: number },
): Map<string, number> {
  const shares = new Map<string, number>()
  const inFlight = new Map(jobs.map(({ jobId, inFlight }) => [jobId, inFlight]))
  const inQueue = new Map<string, number>()
  for (const { queueKey, inFlight } of jobs) inQueue.set(queueKey, (inQueue.get(queueKey) ?? 0) + inFlight)
  let free = total - jobs.reduce((sum, job) => sum + job.inFlight, 0)
  const isEligible = (job: WaitingJob) =>
    (shares.get(job.jobId) ?? 0) < job.ready && inQueue.get(job.queueKey)! < perQueue
  // How full a queue key would be with one more chunk, for its weight.
  const filled = ({ queueKey, weight }: WaitingJob) => (inQueue.get(queueKey)! + 1) / weight
  for (; free > 0; free--) {
    const next = jobs.filter(isEligible).reduce<WaitingJob | null>((best, job) => {
      if (!best) return job
      const byQueue = filled(job) - filled(best)
      return (byQueue || inFlight.get(job.jobId)! - inFlight.get(best.jobId)!) < 0 ? job : best
    }, null)
    if (!next) break
    shares.set(next.jobId, (shares.get(next.jobId) ?? 0) + 1)
    inFlight.set(next.jobId, inFlight.get(next.jobId)! + 1)
    inQueue.set(next.queueKey, inQueue.get(next.queueKey)! + 1)
  }
  return shares
}

/** Splits a list into at most `parts` runs of similar length, each at least `atLeast` long. Preserves the order. */
export function split<T>(list: readonly T[], { parts, atLeast }: { parts: number; atLeast: number }): T[][] {
  const count = Math.max(1, Math.min(parts, Math.floor(list.length / atLeast)))
  const size = Math.ceil(list.length / count)
  return Array.from({ length: Math.ceil(list.length / size) || 0 }, (_, n) => list.slice(n * size, (n + 1) * size))
}
