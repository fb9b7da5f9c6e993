import type { IntegrationOutcome } from "../../../schema/vocabulary.ts"

/** Why a provider did not do what it was asked. */
export interface Trouble {
  readonly outcome: Exclude<IntegrationOutcome, "ok" | "out_of_credits">
  /** Null when there was no answer. */
  readonly httpStatus: number | null
  /** In our words and the provider's error code: never what it wrote in free text, which may hold addresses. */
  readonly detail: string
  /** The provider's error code, when it gave one. */
  readonly code: string | null
  /** How long it asks to be left alone, in ms. */
  readonly retryAfterMs: number | null
}

export type Answered<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly trouble: Trouble }

export function answered<T>(value: T): Answered<T> {
  return { ok: true, value }
}

export function troubled(trouble: Pick<Trouble, "outcome" | "detail"> & Partial<Trouble>): {
  readonly ok: false
  readonly trouble: Trouble
} {
  return { ok: false, trouble: { httpStatus: null, code: null, retryAfterMs: null, ...trouble } }
}

/** What an HTTP status means for who asked; null for success. A redirect is refused: it is followed nowhere. */
export function outcomeOf(status: number): Trouble["outcome"] | null {
  if (status >= 200 && status < 300) return null
  if (status === 401 || status === 403) return "unauthorized"
  if (status === 429) return "rate_limited"
  return status === 408 || status >= 500 ? "unreachable" : "refused"
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Waits after each failure in a row, in ms; after the last one nobody tries on his own. */
const WAITS_MS = [MINUTE, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR] as const
/** A provider that says "later" so often in a row never means now. */
const MAX_LIMITED = 50
/** The longest wait a provider may ask for: its daily limit begins anew by then. */
const LONGEST_ASKED_MS = 24 * HOUR
const SHORTEST_MS = 1_000

/**
 * When a walk through contacts goes on after trouble, in ms from now; null when it stops for somebody to look at it.
 * @param failures in a row, this one included
 */
export function waitAfter({ outcome, retryAfterMs }: Trouble, failures: number): number | null {
  if (outcome === "unauthorized" || outcome === "refused") return null
  const asked = Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS)
  if (outcome === "rate_limited" && failures <= MAX_LIMITED)
    return retryAfterMs === null ? (WAITS_MS[failures - 1] ?? HOUR) : Math.max(SHORTEST_MS, asked)
  const wait = WAITS_MS[failures - 1]
  return wait === undefined ? null : Math.max(wait, asked)
}
