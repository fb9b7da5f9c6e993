import { Stop, type StopSignal } from "./stop-signal.ts"

interface Timer {
  sleep(ms: number, signal?: StopSignal): Promise<void>
}

/**
 * Renews a lease every `everyMs` until the work ends. A failed renewal is not fatal: the next one may succeed before
 * the lease ends. @returns the result of the work
 */
export async function whileRenewing<T>(
  timer: Timer,
  { everyMs, renew }: { everyMs: number; renew: () => Promise<unknown> },
  work: () => Promise<T>,
): Promise<T> {
  const end = new Stop()
  async function keepRenewing(): Promise<void> {
    for (;;) {
      await timer.sleep(everyMs, end)
      if (end.aborted) return
      await renew().catch(() => undefined)
    }
  }
  void keepRenewing()
  try {
    return await work()
  } finally {
    end.stop()
  }
}
