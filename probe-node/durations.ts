/** Upper bounds of the buckets, in seconds: from one fast round trip to the longest deadline. */
const BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60] as const

/** Prometheus histogram. Each bucket counts all values up to its bound. */
export class Durations {
  #sum = 0
  #count = 0
  readonly #buckets: number[] = BOUNDS.map(() => 0)

  /** @param ms the measured duration */
  observe(ms: number): void {
    const seconds = ms / 1_000
    this.#sum += seconds
    this.#count++
    const at = BOUNDS.findIndex((bound) => seconds <= bound)
    if (at >= 0) this.#buckets[at]!++
  }

  /** Samples as suffix of the metric name, with labels, and value. */
  samples(): [suffix: string, value: number][] {
    let below = 0
    const buckets = BOUNDS.map((bound, at): [string, number] => {
      below += this.#buckets[at]!
      return [`_bucket{le="${bound}"}`, below]
    })
    return [...buckets, ['_bucket{le="+Inf"}', this.#count], ["_sum", this.#sum], ["_count", this.#count]]
  }
}
