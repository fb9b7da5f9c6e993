import type { ResultCache } from "../cache/result-cache.ts"
import type { Clock } from "../platform.ts"
import type { Tally } from "../tally.ts"
import type { ResultLists } from "./result-lists.ts"
import type { ResultStore } from "./results.ts"

/** Where a stored result is looked for. */
export const CACHE_PLACES = ["edge", "store"] as const

const told = (place: (typeof CACHE_PLACES)[number], isHit: boolean) => `cache:${place}:${isHit ? "hit" : "miss"}`

/** The edge's cache, with its hits and misses counted. */
export function countedCache(cache: ResultCache, tally: Tally): ResultCache {
  return {
    ...cache,
    async get(hash) {
      const found = await cache.get(hash)
      tally.count(told("edge", found !== null))
      return found
    },
  }
}

/** The results of the store, with fresh ones counted as hits. */
export function countedResults(results: ResultStore, { tally, clock }: { tally: Tally; clock: Clock }): ResultStore {
  return {
    ...results,
    async latest(key, domain) {
      const found = await results.latest(key, domain)
      tally.count(told("store", (found.result?.expiresAt ?? 0) > clock.now()))
      return found
    },
  }
}

/** The same for lists of them. */
export function countedLists(lists: ResultLists, { tally, clock }: { tally: Tally; clock: Clock }): ResultLists {
  return {
    ...lists,
    async among(keys) {
      const found = await lists.among(keys)
      const now = clock.now()
      const hits = [...found.values()].filter(({ expiresAt }) => expiresAt > now).length
      tally.count(told("store", true), hits)
      tally.count(told("store", false), keys.length - hits)
      return found
    },
  }
}
