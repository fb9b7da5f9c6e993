import { Stop, type StopSignal } from "./stop-signal.ts"

interface Timer {
  sleep(ms: number, signal?: StopSignal): Promise<void>
}

/**
 * Runs `repeat` every `everyMs` until the work ends, such as the renewal of its lease. A failure is not fatal: the next
 * run may succeed. @returns the result of the work
 */
export async function whileRepeating<T>(
  timer: Timer,
  { everyMs, repeat }: { everyMs: number; repeat: () => Promise<unknown> },
  work: () => Promise<T>,
): Promise<T> {
  const end = new Stop()
  async function keepRepeating(): Promise<void> {
    for (;;) {
      await timer.sleep(everyMs, end)
      if (end.aborted) return
      await repeat().catch(() => undefined)
    }
  }
  void keepRepeating()
  try {
    return await work()
  } finally {
    end.stop()
  }
}
