import { MINUTE_MS } from "../domain/time.ts"

/** Counts of the current minute: plain values, which may outlive a request. */
export interface RateLimiterMemory {
  /** Unix ms. */
  since: number
  readonly counts: Map<string, number>
}

/** A rate limit without network calls. Each isolate has its own counts, which end with the isolate. */
export interface MemoryRateLimiter {
  /** @returns false, and counts nothing, when `count` more would exceed `limit` in this minute */
  reserve(key: string, count: number, limit: number): boolean
  /** Takes back what was reserved. After the minute there is nothing to take back. */
  giveBack(key: string, count: number): void
}

export function newRateLimiterMemory(): RateLimiterMemory {
  return { since: Number.NEGATIVE_INFINITY, counts: new Map() }
}

export function createMemoryRateLimiter(
  memory: RateLimiterMemory,
  { now }: { readonly now: () => number },
): MemoryRateLimiter {
  return {
    reserve(key, count, limit) {
      if (now() - memory.since >= MINUTE_MS) {
        memory.since = now()
        memory.counts.clear()
      }
      const taken = (memory.counts.get(key) ?? 0) + count
      if (taken > limit) return false
      memory.counts.set(key, taken)
      return true
    },
    giveBack(key, count) {
      const taken = memory.counts.get(key)
      if (taken !== undefined) memory.counts.set(key, Math.max(0, taken - count))
    },
  }
}
