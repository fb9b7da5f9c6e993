import { onTestFinished, vi } from "vitest"
import { unwatchDeadline, watchDeadline } from "../../../probe-node/smtp/deadlines.ts"

export interface SteadyClock {
  /** Advances the clock. */
  pass(ms: number): void
}

/**
 * Stops `performance.now()` until the end of the test. Probe nodes and the sandbox measure their deadlines with it, so
 * one passes only when the test says so.
 */
export function stopSteadyClock(): SteadyClock {
  let now = Date.now() - performance.timeOrigin
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now)
  onTestFinished(() => clock.mockRestore())
  return {
    pass(ms) {
      now += ms
    },
  }
}

/** Resolves when the probe engine has next checked the deadlines of all its connections. */
export function deadlinesChecked(): Promise<void> {
  return new Promise((resolve) => {
    const entry = {
      dueAt: 0,
      overdue() {
        unwatchDeadline(entry)
        resolve()
      },
    }
    watchDeadline(entry)
  })
}
