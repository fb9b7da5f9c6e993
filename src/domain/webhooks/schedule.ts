import type { AttemptOutcome } from "../../../schema/vocabulary.ts"
import { DAY_MS } from "../time.ts"

/** Delay before each attempt (Standard Webhooks 1.0.0): none, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h. */
export const ATTEMPT_DELAYS_MS = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((s) => s * 1_000)

/** Jitter, so that the events of one outage are not retried at the same time. */
const JITTER = 0.2
/** The longest wait that a receiver may request. */
const MAX_RETRY_AFTER_MS = DAY_MS
/** A receiver that has only failed for this long is disabled. */
const GIVE_UP_MS = 5 * DAY_MS

interface FailedAttempt {
  /** Attempts so far, including the failed one. */
  readonly attempts: number
  /** Unix milliseconds. */
  readonly now: number
  /** Random number in [0, 1). */
  readonly chance: number
  /** The receiver's Retry-After, in ms; null without one. */
  readonly retryAfterMs: number | null
}

/** Time of the next attempt, Unix ms; null after the last attempt. */
export function nextAttemptAt({ attempts, now, chance, retryAfterMs }: FailedAttempt): number | null {
  const delay = ATTEMPT_DELAYS_MS[attempts]
  if (delay === undefined) return null
  const jittered = Math.round(delay * (1 - JITTER + 2 * JITTER * chance))
  return now + Math.max(jittered, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS))
}

/** Whether a receiver must be disabled. @param failingSince its first failure since its last success, Unix ms */
export function isReceiverDead(failingSince: number, now: number): boolean {
  return now - failingSince >= GIVE_UP_MS
}

/** Outcome of a receiver's response: only 2xx is a success. @param status HTTP */
export function outcomeOf(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return "delivered"
  if (status === 410) return "gone"
  return status >= 300 && status < 400 ? "redirected" : "refused"
}
