/** The longest a server may make us wait, whatever it asks for. */
const LONGEST_WAIT_MS = 60 * 60_000

/**
 * How long after a pass its open items are asked again, in ms; null when that was the last one. So no job waits longer
 * than the delays together, or an hour for each where servers ask for more.
 * @param passes passes made, this one included
 * @param askedMs waits that servers asked for
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
