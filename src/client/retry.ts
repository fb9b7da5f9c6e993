import { isUnavailable } from "./errors.ts"

/** The outcome of one attempt. */
export type Outcome =
  | { readonly kind: "answer"; readonly status: number; readonly retryAfterSeconds: number | null }
  | { readonly kind: "no_answer" }

/** The attempts of a call so far. */
interface Attempts {
  /** Number of retries, without the waits for a request in progress. */
  readonly retries: number
  /** Number of 429 responses, including the current one. */
  readonly throttles: number
  /** Total wait for a first request in progress, in ms. */
  readonly inProgressMs: number
  readonly maxRetries: number
  /** Whether a repeat of the request is safe. */
  readonly mayRepeat: boolean
  /** 0 to 1. Adds up to a quarter to a backoff, so that many clients do not retry at once. */
  readonly jitter: number
}

const FIRST_WAIT_MS = 500
const MAX_BACKOFF_MS = 60_000
/** At the monthly limit, Retry-After is days: fail instead. A timer above 2^31 ms also fires at once. */
const MAX_WAIT_MS = 5 * 60_000
/** The service reserves an idempotency key for at most 120 s. Then it runs the repeated request. */
const MAX_IN_PROGRESS_MS = 150_000
const MAX_IN_PROGRESS_WAIT_MS = 16_000

/**
 * @returns the wait before the next attempt in ms, or null for no retry.
 * 429 waits for Retry-After and doubles with each further 429. 5xx and lost connections back off exponentially.
 * Every other status is final.
 */
export function waitBeforeRetry(outcome: Outcome, attempts: Attempts): number | null {
  if (isInProgress(outcome)) return waitInProgress(outcome.retryAfterSeconds, attempts)
  if (attempts.retries >= attempts.maxRetries) return null
  if (!attempts.mayRepeat && !hadNoEffect(outcome)) return null
  const waitMs = waitAfterFailure(outcome, attempts)
  return waitMs === null || waitMs > MAX_WAIT_MS ? null : waitMs
}

/** Whether an earlier attempt, whose connection was lost, is still running. A repeat will get its response. */
export function isInProgress(outcome: Outcome): outcome is Outcome & { kind: "answer"; retryAfterSeconds: number } {
  return outcome.kind === "answer" && outcome.status === 409 && outcome.retryAfterSeconds !== null
}

/** Each wait doubles the total, because these requests count against the limit per minute too. */
function waitInProgress(retryAfterSeconds: number, { inProgressMs, maxRetries }: Attempts): number | null {
  const waitMs = Math.max(retryAfterSeconds * 1_000, FIRST_WAIT_MS, Math.min(MAX_IN_PROGRESS_WAIT_MS, inProgressMs))
  return maxRetries === 0 || inProgressMs + waitMs > MAX_IN_PROGRESS_MS ? null : waitMs
}

/** Whether the request certainly had no effect. A 503 can follow an upstream call that took effect. */
function hadNoEffect(outcome: Outcome): boolean {
  return outcome.kind === "answer" && outcome.status === 429
}

function waitAfterFailure(outcome: Outcome, { retries, throttles, jitter }: Attempts): number | null {
  if (outcome.kind === "answer" && outcome.status === 429)
    return (outcome.retryAfterSeconds ?? 1) * 1_000 * 2 ** (throttles - 1)
  if (outcome.kind === "answer" && outcome.status < 500) return null
  const afterMs = outcome.kind === "answer" ? (outcome.retryAfterSeconds ?? 0) * 1_000 : 0
  const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_WAIT_MS * 2 ** retries)
  return Math.max(afterMs, backoffMs * (1 + jitter / 4))
}

/** A time limit that can begin again. */
export interface TimeLimit {
  readonly signal: AbortSignal
  begin(): void
  /** Must be called at the end: a running limit keeps the process alive. */
  end(): void
}

export function createTimeLimit(ms: number): TimeLimit {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = () => clearTimeout(timer)
  return {
    signal: controller.signal,
    begin() {
      end()
      timer = setTimeout(() => controller.abort(new DOMException(`nothing within ${ms} ms`, "TimeoutError")), ms)
    },
    end,
  }
}

/** Waits for `ms` milliseconds. @throws the signal's reason when it aborts */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, ms)
    signal?.addEventListener("abort", stop, { once: true })
  })
}

/**
 * Bears an unavailable service for some time after its last answer, but not before the first one.
 * @returns awaits a call; its result is null while the service is unavailable
 */
export function createPatience(patienceMs: number) {
  let lastAnswerAt = Number.NEGATIVE_INFINITY
  return async <Answer>(call: Promise<Answer>): Promise<Answer | null> => {
    try {
      const answer = await call
      lastAnswerAt = performance.now()
      return answer
    } catch (error) {
      if (!isUnavailable(error) || performance.now() - lastAnswerAt >= patienceMs) throw error
      return null
    }
  }
}
