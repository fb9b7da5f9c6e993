import { vi } from "vitest"

/** A guard against a hang, as in the configuration of the suite. */
const GUARD_MS = 60_000

/**
 * Reads until a value is due, and returns it. Unlike `expect.poll` it may be used in a hook, and a failed read ends it.
 * @throws Error with the last value
 */
export async function until<T>(
  read: () => T | Promise<T>,
  isDue: (value: T) => boolean,
  { withinMs = GUARD_MS, everyMs = 50 } = {},
): Promise<T> {
  let last: T | undefined
  const due = async () => {
    last = await read()
    return isDue(last)
  }
  await vi.waitUntil(due, { timeout: withinMs, interval: everyMs }).catch((error: Error) => {
    throw new Error(`${error.message} The last value: ${JSON.stringify(last)?.slice(0, 1_000)}`, { cause: error })
  })
  return last as T
}

/**
 * Checks until a check does not fail. Unlike `expect.poll` it may be used in a hook.
 * @throws Error of the last check
 */
export function eventually(check: () => unknown, { interval = 50 } = {}): Promise<void> {
  return vi.waitFor(async () => void (await check()), { timeout: GUARD_MS, interval })
}
