import { DAY_MS, dayOf } from "../time.ts"
import type { Caller } from "./caller.ts"
import { type CountedRow, type CreditShare, FREE_WORK } from "./free-work.ts"

/** Times of granted requests (Unix ms), oldest first. */
export type Window = readonly number[]

export interface Rate {
  readonly limit: number
  readonly windowMs: number
}

type WindowDecision =
  | { readonly accepted: true; readonly window: Window; readonly remaining: number; readonly resetMs: number }
  | { readonly accepted: false; readonly retryAfterMs: number }

/** Sliding-window rate limit: grants all `n` requests or none. No window ever contains more than `limit`. */
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
    return { accepted: false, retryAfterMs: expiring === undefined ? windowMs : expiring + windowMs - now }
  }
  const after = [...live, ...Array.from({ length: n }, () => now)]
  return { accepted: true, window: after, remaining: limit - after.length, resetMs: (after[0] ?? now) + windowMs - now }
}

/** What was counted on one UTC day. */
export interface DayCount {
  /** "2026-11-21" */
  readonly day: string
  readonly used: number
}

type DayDecision =
  | { readonly accepted: true; readonly count: DayCount }
  | { readonly accepted: false; readonly retryAfterMs: number }

/** Counts one more at `now` (Unix ms), or refuses it until the next UTC day. */
export function countOnDay(count: DayCount | null, { budget, now }: { budget: number; now: number }): DayDecision {
  const used = usedOn(count, now)
  if (used >= budget) return { accepted: false, retryAfterMs: DAY_MS - (now % DAY_MS) }
  return { accepted: true, count: { day: dayOf(now), used: used + 1 } }
}

/** The number counted on the UTC day of `now` (Unix ms). */
export function usedOn(count: DayCount | null, now: number): number {
  return count?.day === dayOf(now) ? count.used : 0
}

type WorkWithLimit<Limit> = {
  [Name in keyof typeof FREE_WORK]: (typeof FREE_WORK)[Name]["limit"] extends Limit ? Name : never
}[keyof typeof FREE_WORK]

/** Work with a fixed limit. */
export type FixedWork = WorkWithLimit<number>
/** Work whose limit depends on the caller's plan. */
export type PlanWork = WorkWithLimit<{ readonly perRequest: number }>
/** Work whose limit depends on the caller's credits. */
type CreditWork = WorkWithLimit<CreditShare>
/** The subject of a row: its id, or the caller whose plan sets the limit. */
export type SubjectOf<Work extends FixedWork | PlanWork> = Work extends PlanWork ? Caller : string

/** The rate of a row for a subject. It is unlimited for the operator and for a plan without a limit. */
export function freeRate({ limit, windowMs }: CountedRow, subject: string | Caller): Rate {
  if (typeof limit === "number") return { limit, windowMs }
  const perMinute = typeof subject === "string" || subject.kind === "admin" ? null : subject.allowance.perMinute
  return { limit: limit.perRequest * (perMinute ?? Number.POSITIVE_INFINITY), windowMs }
}

/** What `credits` allow without a charge. */
export function freeShare(work: CreditWork, credits: number): number {
  const { perCredit, base = 0, atLeast = 0, atMost = Number.POSITIVE_INFINITY }: CreditShare = FREE_WORK[work].limit
  return Math.min(atMost, Math.max(atLeast, base + perCredit * credits))
}

/** The number that an amount counts as, in a row that counts groups. */
export function freeUnits(work: "bounceGroups" | "listText" | "readBytes" | "readRows", amount: number): number {
  return Math.ceil(amount / FREE_WORK[work].unit)
}
