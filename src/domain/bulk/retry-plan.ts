/**
 * Delay before the next pass over the open items, in ms; null after the last one. The longest requested wait wins.
 * @param passes finished passes
 * @param askedMs waits that servers requested, limited by `requestedWaitMs`
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
  return Math.max(delay, ...askedMs)
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
