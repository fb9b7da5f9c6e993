import type { Clock } from "../../src/adapters/platform.ts"

export interface VirtualClock extends Clock {
  /** Lets the time pass until the work is done. */
  run<T>(work: Promise<T>): Promise<T>
}

/** A clock that goes on to the next one to wake as soon as everybody sleeps: minutes pass in no time, always in the same order. */
export function virtualClock(start: number): VirtualClock {
  let now = start
  const sleepers = new Set<{ at: number; wake: () => void }>()
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper = { at: now + ms, wake: resolve }
        sleepers.add(sleeper)
        signal?.addEventListener("abort", () => {
          sleepers.delete(sleeper)
          resolve()
        })
      }),
    async run(work) {
      let isDone = false
      const done = work.finally(() => {
        isDone = true
      })
      done.catch(() => undefined) // told by the return
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve))
        if (isDone) return done
        const [next] = [...sleepers].toSorted((a, b) => a.at - b.at)
        if (!next) throw new Error("everybody waits and nobody sleeps")
        sleepers.delete(next)
        now = Math.max(now, next.at)
        next.wake()
      }
    },
  }
}
