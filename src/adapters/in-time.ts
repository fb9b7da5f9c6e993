/**
 * Does work that a signal can end, for at most `ms`. Unlike AbortSignal.timeout the timer goes with the work: a Worker may
 * have 10,000 timers, and a list of names to look up would leave more than that behind.
 */
export async function inTime<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new DOMException("took too long", "TimeoutError")), ms)
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
  }
}
