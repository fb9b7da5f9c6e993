/** A job with work to hand out. */
export interface WaitingJob {
  readonly jobId: string
  /** Whose job it is: lanes share equally, whatever the size of their jobs. */
  readonly lane: string
  /** Chunks handed out and not yet done, and chunks that may go out. */
  readonly inFlight: number
  readonly ready: number
}

export interface Room {
  /** Chunks that may be in flight in all, and of one lane. */
  readonly total: number
  readonly perLane: number
}

/**
 * How many chunks of which job go out next: one after the other to the lane that has least in flight, there to the job
 * that has least, the older one first. A lane never takes all the room, so that a newcomer is served at once.
 * @param jobs oldest first
 */
export function shareOut(jobs: readonly WaitingJob[], { total, perLane }: Room): Map<string, number> {
  const shares = new Map<string, number>()
  const inFlight = new Map(jobs.map(({ jobId, inFlight }) => [jobId, inFlight]))
  const inLane = new Map<string, number>()
  for (const { lane, inFlight } of jobs) inLane.set(lane, (inLane.get(lane) ?? 0) + inFlight)
  let room = total - jobs.reduce((sum, job) => sum + job.inFlight, 0)
  const hungry = (job: WaitingJob) => (shares.get(job.jobId) ?? 0) < job.ready && inLane.get(job.lane)! < perLane
  for (; room > 0; room--) {
    const next = jobs.filter(hungry).reduce<WaitingJob | null>((best, job) => {
      if (!best) return job
      const byLane = inLane.get(job.lane)! - inLane.get(best.lane)!
      return (byLane || inFlight.get(job.jobId)! - inFlight.get(best.jobId)!) < 0 ? job : best
    }, null)
    if (!next) break
    shares.set(next.jobId, (shares.get(next.jobId) ?? 0) + 1)
    inFlight.set(next.jobId, inFlight.get(next.jobId)! + 1)
    inLane.set(next.lane, inLane.get(next.lane)! + 1)
  }
  return shares
}
