import type { Clock } from "../../../src/adapters/platform.ts"

export interface VirtualClock extends Clock {
  /** Advances the time until the work is done. */
  run<T>(work: Promise<T>): Promise<T>
}

/** A clock that jumps to the next wake-up when all work sleeps: minutes pass at once, always in the same order. */
export function virtualClock(start: number): VirtualClock {
  let now = start
  const sleeping = new Set<{ at: number; wake: () => void }>()
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper = { at: now + ms, wake: resolve }
        sleeping.add(sleeper)
        signal?.addEventListener("abort", () => {
          sleeping.delete(sleeper)
          resolve()
        })
      }),
    async run(work) {
      let isDone = false
      const done = work.finally(() => {
        isDone = true
      })
      done.catch(() => undefined) // `return done` reports it
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve))
        if (isDone) return done
        const [next] = [...sleeping].toSorted((a, b) => a.at - b.at)
        if (!next) throw new Error("the work waits for something other than the clock")
        sleeping.delete(next)
        now = Math.max(now, next.at)
        next.wake()
      }
    },
  }
}
