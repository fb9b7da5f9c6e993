/** How much longer work may take because it shares the timer of earlier work: 50 ms of two seconds. */
const SLACK = 1 / 40

interface Batch {
  readonly ms: number
  readonly startedAt: number
  readonly controller: AbortController
  readonly timer: ReturnType<typeof setTimeout>
  running: number
}

/**
 * Runs abortable work for `ms`, or up to 1/40 longer. Work that starts at the same time shares one timer and one signal:
 * in workerd, a timer and a signal cost 0.03 ms of CPU, a tenth of a DNS lookup. The last work clears the timer.
 * @param now Unix milliseconds
 */
export function createSharedTimeout(now: () => number) {
  let latest: Batch | null = null

  function join(ms: number): Batch {
    const at = now()
    const isOpen = latest && latest.ms === ms && latest.running > 0 && !latest.controller.signal.aborted
    if (latest && isOpen && at - latest.startedAt < ms * SLACK) return latest
    const controller = new AbortController()
    const expire = () => controller.abort(new DOMException("took too long", "TimeoutError"))
    latest = { ms, startedAt: at, controller, timer: setTimeout(expire, Math.ceil(ms * (1 + SLACK))), running: 0 }
    return latest
  }

  return async function run<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const batch = join(ms)
    batch.running++
    try {
      return await work(batch.controller.signal)
    } finally {
      if (--batch.running === 0) clearTimeout(batch.timer)
    }
  }
}
