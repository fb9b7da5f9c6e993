/** Moments (Unix ms) at which requests were admitted, oldest first. */
export type Window = readonly number[]

export interface Rate {
  readonly limit: number
  readonly windowMs: number
}

export type Admission =
  | { readonly admitted: true; readonly window: Window; readonly remaining: number; readonly resetMs: number }
  | { readonly admitted: false; readonly retryAfterMs: number }

/**
 * Admits `n` requests at `now` or none. A log of admissions, not a counter or a bucket: no window of `windowMs`, wherever
 * it begins, ever holds more than `limit`. Refused requests leave no trace.
 */
export function admit(
  window: Window,
  { limit, windowMs }: Rate,
  { now, n = 1 }: { now: number; n?: number },
): Admission {
  // What lies further ahead is from before the clock was set back, and would keep everybody out until then.
  const live = window.filter((at) => at > now - windowMs && at < now + windowMs)
  if (live.length + n > limit) {
    const freeingIndex = live.length + n - limit - 1
    const freeing = live[freeingIndex]
    return { admitted: false, retryAfterMs: freeing === undefined ? windowMs : freeing + windowMs - now }
  }
  const after = [...live, ...Array.from({ length: n }, () => now)]
  return { admitted: true, window: after, remaining: limit - after.length, resetMs: (after[0] ?? now) + windowMs - now }
}
