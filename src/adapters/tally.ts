import type { Clock, Log } from "./platform.ts"

/** Counts what is too frequent to be written down each time. */
export interface Tally {
  count(name: string, by?: number): void
}

/** Plain numbers, which may outlive a request. */
export interface TallyMemory {
  readonly waiting: Map<string, number>
  /** Since when somebody is about to write them, Unix ms. */
  writerSince: number
}

export function newTallyMemory(): TallyMemory {
  return { waiting: new Map(), writerSince: Number.NEGATIVE_INFINITY }
}

interface Needs {
  readonly clock: Clock
  readonly log: Log
  readonly background: (work: Promise<unknown>) => void
}

interface Book {
  readonly memory: TallyMemory
  /** One write for each isolate in this time, however much happens; what an isolate dies with is lost. */
  readonly pauseMs: number
  readonly write: (counts: ReadonlyMap<string, number>) => Promise<void>
}

/** A writer that has not come back by then is taken for dead. */
const PATIENCE_MS = 20_000

export function createTally({ memory, pauseMs, write }: Book, { clock, log, background }: Needs): Tally {
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
    count(name, by = 1) {
      if (by === 0) return
      memory.waiting.set(name, (memory.waiting.get(name) ?? 0) + by)
      const now = clock.now()
      if (now - memory.writerSince < PATIENCE_MS) return
      memory.writerSince = now
      background(writeSoon())
    },
  }
}
