import { lookupCounter } from "../../domain/admin/metrics.ts"
import type { Clock, Platform } from "../platform.ts"
import type { ResultLists, ResultStore } from "../store/verification/results.ts"
import type { ResultCache } from "../verification/result-cache.ts"

/** Buffers counts that are too frequent to write one by one. */
export type BufferedCounters = ReturnType<typeof createBufferedCounters>

/** Plain numbers, which may outlive a request. */
interface CounterMemory {
  readonly waiting: Map<string, number>
  /** When a writer was scheduled, Unix ms. */
  writerSince: number
}

export function newCounterMemory(): CounterMemory {
  return { waiting: new Map(), writerSince: Number.NEGATIVE_INFINITY }
}

interface CounterOptions {
  readonly memory: CounterMemory
  /** Each isolate writes once in this time, with any number of counts. A terminated isolate loses its buffer. */
  readonly pauseMs: number
  readonly write: (counts: ReadonlyMap<string, number>) => Promise<void>
}

/** A writer that takes longer is considered dead. */
const WRITER_TIMEOUT_MS = 20_000

export function createBufferedCounters(
  { memory, pauseMs, write }: CounterOptions,
  { clock, log, background }: Pick<Platform, "clock" | "log" | "background">,
) {
  async function writeSoon(): Promise<void> {
    await clock.sleep(pauseMs)
    memory.writerSince = Number.NEGATIVE_INFINITY
    const counts = new Map(memory.waiting)
    memory.waiting.clear()
    try {
      await write(counts)
    } catch (error) {
      for (const [name, count] of counts) memory.waiting.set(name, (memory.waiting.get(name) ?? 0) + count)
      log("counts_not_written", { error: (error as Error).message })
    }
  }

  return {
    count(name: string, by: number = 1): void {
      if (by === 0) return
      memory.waiting.set(name, (memory.waiting.get(name) ?? 0) + by)
      const now = clock.now()
      if (now - memory.writerSince < WRITER_TIMEOUT_MS) return
      memory.writerSince = now
      background(writeSoon())
    },
  }
}

/** Counts hits and misses of the edge cache. */
export function countedCache(cache: ResultCache, counters: BufferedCounters): ResultCache {
  return {
    ...cache,
    async get(hash, { isLookup } = { isLookup: true }) {
      const found = await cache.get(hash)
      if (isLookup) counters.count(lookupCounter("edge", found !== null))
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
    async knownAbout(query) {
      const found = await results.knownAbout(query)
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
    async findMany(keys, { isLookup } = { isLookup: true }) {
      const found = await lists.findMany(keys)
      if (!isLookup) return found
      const now = clock.now()
      const hits = [...found.values()].filter(({ expiresAt }) => expiresAt > now).length
      counters.count(lookupCounter("store", true), hits)
      counters.count(lookupCounter("store", false), keys.length - hits)
      return found
    },
  }
}
