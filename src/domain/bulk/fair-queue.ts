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

export interface QueueCapacity {
  /** Maximum chunks in flight, in total and per queue key. */
  readonly total: number
  readonly perQueue: number
}

/**
 * Fair queue: how many chunks of each job to dispatch next. Each chunk goes to the queue key with the fewest chunks in
 * flight for its weight, and there to the job with the fewest, the older first. So no key waits for others to end, however
 * heavy they are. `perQueue` reserves space for new accounts.
 * @param jobs oldest first
 */
export function allocateChunks(jobs: readonly WaitingJob[], { total, perQueue }: QueueCapacity): Map<string, number> {
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
