import type { Clock, Log } from "./platform.ts"
import type { CounterStore } from "./store/counters.ts"
import { dayOf } from "./store/history.ts"

/** Counts what is too frequent to be written down each time. */
export interface Tally {
  /** @param name as in `service_counts` */
  count(name: string, by?: number): void
}

interface Needs {
  readonly clock: Clock
  readonly log: Log
  readonly background: (work: Promise<unknown>) => void
}

/** One write for each isolate in this time, however much happens; what an isolate dies with is lost. */
const PAUSE_MS = 4_000
/** A writer that has not come back by then is taken for dead. */
const PATIENCE_MS = 20_000

/** Plain numbers, which may outlive a request: by name, and since when somebody is about to write them, Unix ms. */
const waiting = new Map<string, number>()
let writerSince = Number.NEGATIVE_INFINITY

/** @param store is opened only to write */
export function createTally(store: () => CounterStore, { clock, log, background }: Needs): Tally {
  async function writeSoon(): Promise<void> {
    await clock.sleep(PAUSE_MS)
    writerSince = Number.NEGATIVE_INFINITY
    const day = dayOf(clock.now())
    const counts = [...waiting].map(([name, count]) => ({ day, name, count }))
    waiting.clear()
    try {
      await store().add(counts)
    } catch (error) {
      for (const { name, count } of counts) waiting.set(name, (waiting.get(name) ?? 0) + count)
      log("counts_not_written", { error: (error as Error).message })
    }
  }

  return {
    count(name, by = 1) {
      if (by === 0) return
      waiting.set(name, (waiting.get(name) ?? 0) + by)
      const now = clock.now()
      if (now - writerSince < PATIENCE_MS) return
      writerSince = now
      background(writeSoon())
    },
  }
}
