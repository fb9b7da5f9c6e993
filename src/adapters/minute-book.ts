import { MINUTE_MS } from "../domain/time.ts"

/** How much of whom was let through in the running minute: plain values, which may outlive a request. */
export interface MinuteMemory {
  /** Unix ms. */
  since: number
  readonly taken: Map<string, number>
}

/** A limit that costs nothing to ask: each isolate has its own, and one that ends forgets. */
export interface MinuteBook {
  /** @returns false, and takes nothing, when `count` more would be beyond `limit` this minute */
  take(who: string, count: number, limit: number): boolean
}

export function newMinuteMemory(): MinuteMemory {
  return { since: Number.NEGATIVE_INFINITY, taken: new Map() }
}

export function createMinuteBook(memory: MinuteMemory, { now }: { readonly now: () => number }): MinuteBook {
  return {
    take(who, count, limit) {
      if (now() - memory.since >= MINUTE_MS) {
        memory.since = now()
        memory.taken.clear()
      }
      const taken = (memory.taken.get(who) ?? 0) + count
      if (taken > limit) return false
      memory.taken.set(who, taken)
      return true
    },
  }
}
