export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** UTC day of a moment, "2026-11-21". @param now Unix milliseconds */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10)
}
