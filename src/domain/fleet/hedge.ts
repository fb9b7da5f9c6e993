import { Recent } from "../recent.ts"

/** Answer times kept for each operator. */
const KEPT = 64
const ENOUGH = 20
const QUANTILE = 0.95
const BOUNDS_MS = { least: 300, most: 10_000, unknown: 4_000 } as const
const OPERATORS_KEPT = 500
/** At most this share of questions is asked twice, and so many at once after a quiet time (Dean & Barroso 2013). */
const SHARE = 0.05
const BURST = 5
const EVERYBODY = ""

/** When to ask a second node although the first may still answer. */
export class Hedge {
  readonly #times = new Recent<number[]>(OPERATORS_KEPT)
  #tokens = BURST

  /** @param ms how long a question about one recipient took */
  noteAnswer(operator: string, ms: number): void {
    for (const key of [operator, EVERYBODY]) {
      const times = this.#times.get(key) ?? []
      this.#times.set(key, times)
      times.push(ms)
      if (times.length > KEPT) times.shift()
    }
  }

  noteAsked(): void {
    this.#tokens = Math.min(BURST, this.#tokens + SHARE)
  }

  /** After so many ms without an answer nearly all answers would have been there. */
  delayMs(operator: string): number {
    const own = this.#times.get(operator) ?? []
    const times = own.length >= ENOUGH ? own : (this.#times.get(EVERYBODY) ?? [])
    if (times.length < ENOUGH) return BOUNDS_MS.unknown
    const at = Math.floor(times.length * QUANTILE)
    return Math.min(BOUNDS_MS.most, Math.max(BOUNDS_MS.least, times.toSorted((a, b) => a - b)[at]!))
  }

  /** Takes the right to ask twice, when there is one. */
  take(): boolean {
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }
}
