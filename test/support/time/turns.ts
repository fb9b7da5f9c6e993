import { vi } from "vitest"

/** How often a piece of work lets other requests run: the calls of `yieldToEventLoop`, which sets a timer of 0 ms. */
export async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  const timers = vi.spyOn(globalThis, "setTimeout")
  try {
    await work()
    return timers.mock.calls.filter(([, ms]) => ms === 0).length
  } finally {
    timers.mockRestore()
  }
}
