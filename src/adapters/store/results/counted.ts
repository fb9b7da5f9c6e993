import { lookupCounter } from "../../../domain/admin/metrics.ts"
import type { BufferedCounters } from "../../buffered-counters.ts"
import type { ResultCache } from "../../cache/result-cache.ts"
import type { Clock } from "../../platform.ts"
import type { ResultLists } from "./result-lists.ts"
import type { ResultStore } from "./results.ts"

/** Counts hits and misses of the edge cache. */
export function countedCache(cache: ResultCache, counters: BufferedCounters): ResultCache {
  return {
    ...cache,
    async get(hash) {
      const found = await cache.get(hash)
      counters.count(lookupCounter("edge", found !== null))
      return found
    },
  }
}

/** Counts hits and misses of stored results; only fresh results are hits. `latest` serves background work only. */
export function countedResults(
  results: ResultStore,
  { counters, clock }: { counters: BufferedCounters; clock: Clock },
): ResultStore {
  return {
    ...results,
    async lookUp(query) {
      const found = await results.lookUp(query)
      counters.count(lookupCounter("store", (found.result?.expiresAt ?? 0) > clock.now()))
      return found
    },
  }
}

/** The same for lists of results. */
export function countedLists(
  lists: ResultLists,
  { counters, clock }: { counters: BufferedCounters; clock: Clock },
): ResultLists {
  return {
    ...lists,
    async among(keys, { isLookup } = { isLookup: true }) {
      const found = await lists.among(keys)
      if (!isLookup) return found
      const now = clock.now()
      const hits = [...found.values()].filter(({ expiresAt }) => expiresAt > now).length
      counters.count(lookupCounter("store", true), hits)
      counters.count(lookupCounter("store", false), keys.length - hits)
      return found
    },
  }
}
