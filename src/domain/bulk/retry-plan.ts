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
