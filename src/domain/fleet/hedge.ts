import { Recent } from "../recent.ts"

/** Stored answer times per operator. */
const MAX_TIMES = 64
const MIN_TIMES = 20
const QUANTILE = 0.95
const BOUNDS_MS = { least: 300, most: 10_000, unknown: 4_000 } as const
const MAX_OPERATORS = 500
/** At most this share of requests is hedged, with bursts after a quiet time (Dean & Barroso 2013). */
const SHARE = 0.05
const BURST = 5
const ALL_OPERATORS = ""

/** Decides when to send a request to a second node before the first one has answered. */
export class Hedge {
  readonly #times = new Recent<number[]>(MAX_OPERATORS)
  #tokens = BURST

  /** @param ms duration of a probe of one recipient */
  recordAnswerTime(operator: string, ms: number): void {
    for (const key of [operator, ALL_OPERATORS]) {
      const times = this.#times.get(key) ?? []
      this.#times.set(key, times)
      times.push(ms)
      if (times.length > MAX_TIMES) times.shift()
    }
  }

  recordRequest(): void {
    this.#tokens = Math.min(BURST, this.#tokens + SHARE)
  }

  /** The 95th percentile of the answer times, in ms, within bounds. */
  delayMs(operator: string): number {
    const own = this.#times.get(operator) ?? []
    const times = own.length >= MIN_TIMES ? own : (this.#times.get(ALL_OPERATORS) ?? [])
    if (times.length < MIN_TIMES) return BOUNDS_MS.unknown
    const at = Math.floor(times.length * QUANTILE)
    return Math.min(BOUNDS_MS.most, Math.max(BOUNDS_MS.least, times.toSorted((a, b) => a - b)[at]!))
  }

  /** Uses one hedge token. @returns false when none is left */
  reserve(): boolean {
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }
}
