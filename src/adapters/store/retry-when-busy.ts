import { LibsqlError } from "@libsql/client/web"
import { AppError } from "../../errors.ts"
import type { Clock } from "../platform.ts"

/**
 * Answers of a server that has applied nothing: another transaction held the lock, or the server has ended this one.
 * sqld forces the end of a transaction after 5 s.
 */
const REFUSED = /^(SQLITE_(BUSY|LOCKED)|TRANSACTION_(TIMEOUT|BUSY)|STREAM_EXPIRED)/
/** The first pause, doubled each time up to the longest, in ms. The random part separates callers that collided. */
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 500
/** Time for all attempts, in ms. */
const RETRY_MS = 4_000

interface RetryDeps {
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
}

/**
 * Repeats a statement or an atomic batch that the database refused unapplied because it was busy.
 * @throws AppError unavailable when it stays busy
 */
export async function retryWhenBusy<T>({ clock, random }: RetryDeps, work: () => Promise<T>): Promise<T> {
  const giveUpAt = clock.now() + RETRY_MS
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!isRefused(error)) throw error
      if (clock.now() + pauseMs > giveUpAt)
        throw new AppError("unavailable", "the result store is busy; try again shortly", {
          cause: error,
          retryAfterSeconds: 2,
        })
    }
    await clock.sleep(pauseMs * (0.5 + random()))
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof LibsqlError && REFUSED.test(error.code)
}
