import { Script } from "node:vm"

/** A hang guard, a thousand times longer than the work takes when its time grows in proportion to its input. */
const INTERRUPTED_AFTER_MS = 30_000

const running = globalThis as { boundedWork?: () => unknown }

/**
 * Runs synchronous work on a large input to its end. Work whose time grows with the square of its input would take an
 * hour: it is interrupted, also within a regular expression, and the test fails. Choose the input accordingly: a million
 * characters, and a few milliseconds of work.
 * @throws Error when the work was interrupted
 */
export function runToTheEnd<T>(work: () => T): T {
  running.boundedWork = work
  try {
    return new Script("boundedWork()").runInThisContext({ timeout: INTERRUPTED_AFTER_MS }) as T
  } finally {
    delete running.boundedWork
  }
}
