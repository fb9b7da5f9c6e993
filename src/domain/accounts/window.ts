/** Times of granted requests (Unix ms), oldest first. */
export type Window = readonly number[]

export interface Rate {
  readonly limit: number
  readonly windowMs: number
}

export type WindowDecision =
  | { readonly admitted: true; readonly window: Window; readonly remaining: number; readonly resetMs: number }
  | { readonly admitted: false; readonly retryAfterMs: number }

/**
 * Sliding-window rate limit: grants all `n` requests at `now` or none. The log of times ensures that no window of
 * `windowMs` ever contains more than `limit`. Rejected requests are not recorded.
 */
export function authorize(
  window: Window,
  { limit, windowMs }: Rate,
  { now, n = 1 }: { now: number; n?: number },
): WindowDecision {
  // Ignores future times, which remain after the clock was set back and would block every request.
  const live = window.filter((at) => at > now - windowMs && at < now + windowMs)
  if (live.length + n > limit) {
    const expiringIndex = live.length + n - limit - 1
    const expiring = live[expiringIndex]
    return { admitted: false, retryAfterMs: expiring === undefined ? windowMs : expiring + windowMs - now }
  }
  const after = [...live, ...Array.from({ length: n }, () => now)]
  return { admitted: true, window: after, remaining: limit - after.length, resetMs: (after[0] ?? now) + windowMs - now }
}
