import type { Clock, Log } from "./platform.ts"

/** Buffers counts that are too frequent to write one by one. */
export interface BufferedCounters {
  count(name: string, by?: number): void
}

/** Plain numbers, which may outlive a request. */
export interface CounterMemory {
  readonly waiting: Map<string, number>
  /** When a writer was scheduled, Unix ms. */
  writerSince: number
}

export function newCounterMemory(): CounterMemory {
  return { waiting: new Map(), writerSince: Number.NEGATIVE_INFINITY }
}

interface CounterDeps {
  readonly clock: Clock
  readonly log: Log
  readonly background: (work: Promise<unknown>) => void
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
  { clock, log, background }: CounterDeps,
): BufferedCounters {
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
      if (now - memory.writerSince < WRITER_TIMEOUT_MS) return
      memory.writerSince = now
      background(writeSoon())
    },
  }
}
