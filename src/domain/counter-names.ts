import type { InboundProvider } from "../../schema/vocabulary.ts"

/** The places that stored results are read from. */
export const CACHE_PLACES = ["edge", "store"] as const

/** The name of the counter of hits or misses. */
export function lookupCounter(place: (typeof CACHE_PLACES)[number], isHit: boolean): string {
  return `cache:${place}:${isHit ? "hit" : "miss"}`
}

/** The name of the counter of a provider's events that could not be read. */
export function unreadableCounter(provider: InboundProvider): string {
  return `unreadable:${provider}`
}
