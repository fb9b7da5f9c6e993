import type { Status } from "../../../schema/vocabulary.ts"
import { type Interval, wilson } from "../wilson.ts"

/** The addresses of a list at one mail operator, which behave alike. */
export interface Stratum {
  readonly name: string
  readonly size: number
}

/** With the 95 % Wilson score interval. */
export interface Share extends Interval {
  readonly status: Status
  /** Of the whole list, 0-1. */
  readonly share: number
}

const SMALLEST = 30
/** Maximum sample size for any list. */
export const MAX_SAMPLE = 1_000

/** Sample size for a list of n: the square root of n, at least 30 and at most 1,000. */
export function sampleSize(n: number): number {
  return Math.min(n, MAX_SAMPLE, Math.max(SMALLEST, Math.ceil(Math.sqrt(n))))
}

/** Allocates a sample to the strata in proportion (largest remainders), at least one to each while enough remain. */
export function allocate(strata: readonly Stratum[], sample: number): number[] {
  const total = strata.reduce((sum, { size }) => sum + size, 0)
  const wanted = Math.min(sample, total)
  const one: number[] = strata.map(({ size }, index) => (size > 0 && index < wanted ? 1 : 0))
  const spare = wanted - one.reduce((sum, n) => sum + n, 0)
  const rest = strata.map(({ size }, index) => size - one[index]!)
  const restTotal = Math.max(1, total - wanted + spare)
  const exact = rest.map((size) => (spare * size) / restTotal)
  const counts = exact.map((quota, index) => one[index]! + Math.floor(quota))
  const byRemainder = exact
    .map((quota, index) => ({ index, remainder: quota % 1 }))
    .toSorted((a, b) => b.remainder - a.remainder)
  let left = wanted - counts.reduce((sum, n) => sum + n, 0)
  for (const { index } of [...byRemainder, ...byRemainder])
    if (left > 0 && counts[index]! < strata[index]!.size) {
      counts[index]!++
      left--
    }
  return counts
}

/**
 * Estimates the shares of the whole list from a stratified sample, each stratum weighted by its size. The interval is that
 * of a simple random sample of the same size, an upper bound for proportional strata. A full sample has no interval.
 */
export function project(
  sampled: readonly { readonly size: number; readonly statuses: readonly Status[] }[],
  statuses: readonly Status[],
): Share[] {
  const seen = sampled.filter((stratum) => stratum.statuses.length > 0)
  const total = seen.reduce((sum, { size }) => sum + size, 0)
  const n = seen.reduce((sum, stratum) => sum + stratum.statuses.length, 0)
  return statuses.map((status) => {
    const share = seen.reduce((sum, stratum) => {
      const hits = stratum.statuses.filter((one) => one === status).length
      return sum + (stratum.size / Math.max(1, total)) * (hits / stratum.statuses.length)
    }, 0)
    return { status, share, ...(n === total ? { low: share, high: share } : wilson(share * n, n)) }
  })
}
