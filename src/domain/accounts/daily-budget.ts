import { DAY_MS, dayOf } from "../time.ts"

/** What was counted on one UTC day. */
export interface DayCount {
  /** "2026-11-21" */
  readonly day: string
  readonly used: number
}

export type DayDecision =
  | { readonly admitted: true; readonly count: DayCount }
  | { readonly admitted: false; readonly retryAfterMs: number }

/** Counts one more at `now` (Unix ms), or refuses it until the next UTC day. */
export function countOnDay(count: DayCount | null, { budget, now }: { budget: number; now: number }): DayDecision {
  const used = usedOn(count, now)
  if (used >= budget) return { admitted: false, retryAfterMs: DAY_MS - (now % DAY_MS) }
  return { admitted: true, count: { day: dayOf(now), used: used + 1 } }
}

/** The number counted on the UTC day of `now` (Unix ms). */
export function usedOn(count: DayCount | null, now: number): number {
  return count?.day === dayOf(now) ? count.used : 0
}
