/** Operators that count, count by the hour or so. */
const PACE_MS = 1_800_000

/** The share of a pace that is left after so long. */
export function paceLeft(ms: number): number {
  return Math.exp(-Math.max(0, ms) / PACE_MS)
}
