/** Time constant of the decay: operators count requests by about the hour. */
const DECAY_MS = 1_800_000

/** The share of a request rate that remains after `ms`. */
export function decayAfter(ms: number): number {
  return Math.exp(-Math.max(0, ms) / DECAY_MS)
}
