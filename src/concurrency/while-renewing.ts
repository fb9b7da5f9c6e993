interface Timer {
  sleep(ms: number, signal?: AbortSignal): Promise<void>
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
  const end = new AbortController()
  async function keepRenewing(): Promise<void> {
    for (;;) {
      await timer.sleep(everyMs, end.signal)
      if (end.signal.aborted) return
      await renew().catch(() => undefined)
    }
  }
  void keepRenewing()
  try {
    return await work()
  } finally {
    end.abort()
  }
}
