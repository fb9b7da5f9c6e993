import type { AttemptOutcome } from "../../../schema/vocabulary.ts"

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Delay before each attempt, including the first, in ms (Standard Webhooks 1.0.0, "Deliverability and reliability"). */
export const ATTEMPT_DELAYS_MS = [
  ...[0, 5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR],
  ...[5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
] as const

/** Jitter, so that the events of one outage are not retried at the same time. */
const JITTER = 0.2
/** The longest wait that a receiver may request. */
const LONGEST_ASKED_MS = 24 * HOUR
/** A receiver that has only failed for this long is disabled. */
const GIVE_UP_MS = 5 * 24 * HOUR

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
  return now + Math.max(jittered, Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS))
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
