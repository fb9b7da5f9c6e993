/**
 * Runs abortable work for at most `ms` and clears the timer afterwards, unlike AbortSignal.timeout.
 * A Worker may have 10,000 timers, and a long list of lookups would leave more than that behind.
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
