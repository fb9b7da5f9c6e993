export interface Interval {
  readonly low: number
  readonly high: number
}

/** Quantile for a two-sided 95 % interval. */
const Z = 1.96

/** Returns the Wilson score interval of the share `hits / trials`. Both may be fractional, as decayed counts are. */
export function wilson(hits: number, trials: number): Interval {
  if (trials <= 0) return { low: 0, high: 1 }
  const share = Math.min(1, Math.max(0, hits / trials))
  const z2 = (Z * Z) / trials
  const middle = share + z2 / 2
  const spread = Z * Math.sqrt((share * (1 - share)) / trials + z2 / (4 * trials))
  return { low: Math.max(0, (middle - spread) / (1 + z2)), high: Math.min(1, (middle + spread) / (1 + z2)) }
}
