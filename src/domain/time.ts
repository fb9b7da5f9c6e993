export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** UTC day of a time, "2026-11-21". @param now Unix milliseconds */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10)
}

/** A time in the API's form (RFC 3339); null without one. @param at Unix milliseconds */
export function iso(at: number): string
export function iso(at: number | null | undefined): string | null
export function iso(at: number | null | undefined): string | null {
  return at == null ? null : new Date(at).toISOString()
}
