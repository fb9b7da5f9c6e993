/** Longest wait that a server may request. */
const LONGEST_WAIT_MS = 60 * 60_000

/**
 * Delay before the next pass over the open items, in ms; null after the last one. A job waits at most the sum of
 * the delays, or an hour for each where servers request more.
 * @param passes finished passes
 * @param askedMs waits that servers requested
 */
export function nextWaitMs({
  passes,
  delaysMs,
  askedMs,
}: {
  passes: number
  delaysMs: readonly number[]
  askedMs: readonly number[]
}): number | null {
  const delay = delaysMs[passes - 1]
  if (delay === undefined) return null
  const asked = Math.min(LONGEST_WAIT_MS, Math.max(0, ...askedMs))
  return Math.max(delay, asked)
}

/**
 * When the last retry is due if an open item needs all of them, Unix ms. Servers may ask for longer waits.
 * @param lastRetryAt when the last planned retry is due @param passes finished passes @param endsAt the job's limit
 */
export function retriesUntil({
  lastRetryAt,
  passes,
  delaysMs,
  endsAt,
}: {
  lastRetryAt: number
  passes: number
  delaysMs: readonly number[]
  endsAt: number | null
}): number {
  const until = delaysMs.slice(passes).reduce((at, delay) => at + delay, lastRetryAt)
  return endsAt === null ? until : Math.min(until, endsAt)
}

/** Pause of a chunk whose addresses no probe node answered. */
const NO_NODE_PAUSE_MS = 20_000
/** After this many leases of a chunk, passes without a probe node count like others. */
const UNCOUNTED_LEASES = 12

/** Delay before a chunk that only lacks a probe node runs again, in ms; null when the pass counts. @param leases so far */
export function pauseWithoutNode(leases: number): number | null {
  return leases < UNCOUNTED_LEASES ? NO_NODE_PAUSE_MS : null
}
