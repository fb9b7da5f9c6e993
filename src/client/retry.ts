/** What became of one try. */
export type Outcome =
  | { readonly kind: "answer"; readonly status: number; readonly retryAfterSeconds: number | null }
  | { readonly kind: "no_answer" }

/** A call so far. */
export interface Tries {
  /** How many there have been, without the waits for a held request. */
  readonly retries: number
  /** How many 429 there have been, this one included. */
  readonly throttles: number
  /** How long the first request was waited for. */
  readonly heldMs: number
  readonly maxRetries: number
  /** Whether doing it twice is as good as once. */
  readonly mayRepeat: boolean
  /** 0 to 1: waits are spread by up to a quarter, so that many clients do not come back at once. */
  readonly chance: number
}

const FIRST_WAIT_MS = 500
const MAX_BACKOFF_MS = 60_000
/** At the monthly limit Retry-After is days. Nobody wants a call to take that long, and a timer above 2^31 ms ends at once. */
const LONGEST_WAIT_MS = 5 * 60_000
/** The service holds a name for 120 s at most; then the first request counts as dead and ours runs. */
const LONGEST_HOLD_MS = 150_000
const MAX_HOLD_WAIT_MS = 16_000

/**
 * How long to wait before the next try, in ms; null when there is to be none. As the interface says: 401 and 403 never; 429
 * from Retry-After, doubling on each further 429; 5xx and lost connections exponentially; everything else never.
 */
export function waitBeforeRetry(outcome: Outcome, tries: Tries): number | null {
  if (isHeld(outcome)) return waitForFirst(outcome.retryAfterSeconds, tries)
  if (tries.retries >= tries.maxRetries) return null
  if (!tries.mayRepeat && !saysNotDone(outcome)) return null
  const waitMs = waitAfterFailure(outcome, tries)
  return waitMs === null || waitMs > LONGEST_WAIT_MS ? null : waitMs
}

/** An earlier try of this very request, whose connection was lost, is still at work: its answer will be ours. */
export function isHeld(outcome: Outcome): outcome is Outcome & { kind: "answer"; retryAfterSeconds: number } {
  return outcome.kind === "answer" && outcome.status === 409 && outcome.retryAfterSeconds !== null
}

/** Each wait doubles the whole, for these questions count against the limit per minute too. */
function waitForFirst(retryAfterSeconds: number, { heldMs, maxRetries }: Tries): number | null {
  const waitMs = Math.max(retryAfterSeconds * 1_000, FIRST_WAIT_MS, Math.min(MAX_HOLD_WAIT_MS, heldMs))
  return maxRetries === 0 || heldMs + waitMs > LONGEST_HOLD_MS ? null : waitMs
}

/** A 503 may come of an answer that the service itself did not hear, after what it asked for was done. */
function saysNotDone(outcome: Outcome): boolean {
  return outcome.kind === "answer" && outcome.status === 429
}

function waitAfterFailure(outcome: Outcome, { retries, throttles, chance }: Tries): number | null {
  if (outcome.kind === "answer" && outcome.status === 429)
    return (outcome.retryAfterSeconds ?? 1) * 1_000 * 2 ** (throttles - 1)
  if (outcome.kind === "answer" && outcome.status < 500) return null
  const afterMs = outcome.kind === "answer" ? (outcome.retryAfterSeconds ?? 0) * 1_000 : 0
  const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_WAIT_MS * 2 ** retries)
  return Math.max(afterMs, backoffMs * (1 + chance / 4))
}
