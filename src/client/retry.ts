/** What became of one try. */
export type Outcome =
  | { readonly kind: "answer"; readonly status: number; readonly retryAfterSeconds: number | null }
  | { readonly kind: "no_answer" }

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 60_000

/**
 * How long to wait before the next try, in ms; null when there is to be none. As the interface says: 401 and 403 never; 429
 * from Retry-After, doubling on each further 429; 5xx and lost connections exponentially; everything else never.
 * @param retries how many there have been @param throttles how many 429 there have been, this one included
 * @param chance 0 to 1: waits are spread by up to a quarter, so that many clients do not come back at once
 */
export function waitBeforeRetry(
  outcome: Outcome,
  {
    retries,
    throttles,
    maxRetries,
    chance,
  }: { retries: number; throttles: number; maxRetries: number; chance: number },
): number | null {
  if (retries >= maxRetries) return null
  if (outcome.kind === "answer" && outcome.status === 429) {
    const startMs = (outcome.retryAfterSeconds ?? 1) * 1_000
    return startMs * 2 ** (throttles - 1)
  }
  if (outcome.kind === "answer" && outcome.status < 500) return null
  const afterMs = outcome.kind === "answer" ? (outcome.retryAfterSeconds ?? 0) * 1_000 : 0
  const backoffMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** retries)
  return Math.max(afterMs, backoffMs * (1 + chance / 4))
}
