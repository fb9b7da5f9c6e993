const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Waits before each attempt, the first one included, in ms (Standard Webhooks 1.0.0, "Deliverability and reliability"). */
export const ATTEMPT_DELAYS_MS = [
  ...[0, 5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR],
  ...[5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
] as const

/** How far a wait may be off, so that the events of one outage do not come back at one moment. */
const JITTER = 0.2
/** The longest wait a receiver may ask for. */
const LONGEST_ASKED_MS = 24 * HOUR
/** A receiver that has only failed for so long gets nothing more. */
const GIVE_UP_MS = 5 * 24 * HOUR

export interface FailedAttempt {
  /** Attempts made, the failed one included. */
  readonly attempts: number
  /** Unix milliseconds. */
  readonly now: number
  /** At random in [0, 1). */
  readonly chance: number
  /** What the receiver asked for with Retry-After, in ms; null when it did not. */
  readonly retryAfterMs: number | null
}

/** When a failed event is tried again, Unix ms; null when that was the last time. */
export function nextAttemptAt({ attempts, now, chance, retryAfterMs }: FailedAttempt): number | null {
  const delay = ATTEMPT_DELAYS_MS[attempts]
  if (delay === undefined) return null
  const jittered = Math.round(delay * (1 - JITTER + 2 * JITTER * chance))
  return now + Math.max(jittered, Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS))
}

/** Whether a receiver is to be given up. @param failingSince its first failure since its last success, Unix ms */
export function isGivenUp(failingSince: number, now: number): boolean {
  return now - failingSince >= GIVE_UP_MS
}
