import type { LimitState } from "../adapters/accounts/usage-meter.ts"
import type { Caller } from "../domain/accounts/caller.ts"

const MONTH_SECONDS = 2_592_000
/** Statuses of requests that a limit refused. */
const REFUSED: readonly number[] = [402, 429]

export interface LimitedAnswer {
  readonly status: number
  /** Null when nothing was counted. */
  readonly counted: LimitState | null
}

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers) of a counted call. A call that is refused
 * before it is counted gets the policy only, and a call without limits gets neither. `bought` appears when the month's
 * credits are used up and bought ones pay.
 */
export function rateLimitHeaders(
  caller: Caller,
  { status, counted: state }: LimitedAnswer,
): [name: string, value: string][] {
  if (caller.kind === "admin" || (!state && !REFUSED.includes(status))) return []
  const { perMinute, perMonth } = caller.allowance
  const policy = [
    ...(perMinute === null ? [] : [`"rpm";q=${perMinute};w=60`]),
    ...(perMonth === null ? [] : [`"month";q=${perMonth};w=${MONTH_SECONDS}`]),
  ]
  const headers: [string, string][] = policy.length > 0 ? [["ratelimit-policy", policy.join(", ")]] : []
  if (!state) return headers
  const left = [
    ...(state.remainingInMinute === null ? [] : [`"rpm";r=${state.remainingInMinute};t=${state.minuteResetSeconds}`]),
    ...(perMonth === null || !state.month
      ? []
      : [`"month";r=${Math.max(0, perMonth - state.month.used)};t=${state.month.resetSeconds}`]),
    // Bought credits never expire, so they have no time.
    ...(state.month?.boughtLeft == null ? [] : [`"bought";r=${state.month.boughtLeft}`]),
  ]
  if (left.length > 0) headers.push(["ratelimit", left.join(", ")])
  return headers
}
