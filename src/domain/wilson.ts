export interface Interval {
  readonly low: number
  readonly high: number
}

/** Quantile for a two-sided 95 % interval. */
const Z = 1.959_964

/** Returns the Wilson score interval of the share `hits / trials`. Both may be fractional, as decayed counts are. */
export function wilson(hits: number, trials: number): Interval {
  if (trials <= 0) return { low: 0, high: 1 }
  const share = Math.min(1, Math.max(0, hits / trials))
  const z2 = (Z * Z) / trials
  const middle = share + z2 / 2
  const spread = Z * Math.sqrt((share * (1 - share)) / trials + z2 / (4 * trials))
  const [low, high] = [(middle - spread) / (1 + z2), (middle + spread) / (1 + z2)]
  // Rounding must not put a bound on the wrong side of the share.
  return { low: Math.min(share, Math.max(0, low)), high: Math.max(share, Math.min(1, high)) }
}
