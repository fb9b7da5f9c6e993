import { Recent } from "../domain/recent.ts"

/** Default pause after a provider was unreachable. */
const OUTAGE_MS = 60_000
const MAX_WAIT_MS = 3_600_000
const ORIGINS_KEPT = 500

/** Outages of optional providers in this isolate, so that they cost no time. Plain values. */
export interface Outages {
  /** @param waitMs the pause that the provider requests; capped at one hour */
  record(origin: string, nowMs: number, waitMs?: number): void
  has(origin: string, nowMs: number): boolean
}

export function createOutages(): Outages {
  const until = new Recent<number>(ORIGINS_KEPT)
  return {
    record(origin, nowMs, waitMs = OUTAGE_MS) {
      until.set(origin, nowMs + Math.min(MAX_WAIT_MS, Math.max(0, waitMs)))
    },
    has: (origin, nowMs) => (until.get(origin) ?? 0) > nowMs,
  }
}

/** Retry-After in ms: seconds or a date (RFC 9110 §10.2.3); undefined when it is missing or unusable. */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? ""
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  // Dates contain letters. Date.parse would read "-5" and "1.5" as days of 2001.
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}
