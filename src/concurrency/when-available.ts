import { isUnavailable } from "../errors.ts"

interface Timer {
  now(): number
  sleep(ms: number): Promise<void>
}

/** Pause between two attempts. Short, because interrupted work continues this long after an outage at the latest. */
const PAUSE_MS = 2_000
/** How long work in memory waits for the database. After a longer outage its lease has ended, and it starts again. */
export const DATABASE_WAIT_MS = 5 * 60_000

/**
 * Repeats the work while the database does not answer, so that finished work in memory survives an outage. The work must
 * be safe to repeat: an answer may be lost after the statement ran. @param giveUpAt Unix ms @throws the last error
 */
export async function whenAvailable<T>(timer: Timer, giveUpAt: number, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isUnavailable(error) || timer.now() + PAUSE_MS > giveUpAt) throw error
      await timer.sleep(PAUSE_MS)
    }
  }
}
