import { isUnavailable } from "../errors.ts"
import { Stop, type StopSignal } from "./deadlines.ts"

/**
 * Runs `repeat` every `everyMs` until the work ends, such as the renewal of its lease. A failure is not fatal: the next
 * run may succeed. @returns the result of the work
 */
export async function whileRepeating<T>(
  timer: { sleep(ms: number, signal?: StopSignal): Promise<void> },
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

/** Pause between two attempts. Short, because interrupted work continues this long after an outage at the latest. */
const PAUSE_MS = 2_000
/** How long work in memory waits for the database. After a longer outage its lease has ended, and it starts again. */
export const DATABASE_WAIT_MS = 5 * 60_000

/**
 * Repeats the work while the database does not answer, so that finished work in memory survives an outage. The work must
 * be safe to repeat: an answer may be lost after the statement ran. @param giveUpAt Unix ms @throws the last error
 */
export async function whenAvailable<T>(
  timer: { now(): number; sleep(ms: number): Promise<void> },
  giveUpAt: number,
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isUnavailable(error) || timer.now() + PAUSE_MS > giveUpAt) throw error
      await timer.sleep(PAUSE_MS)
    }
  }
}
