import type { Verdict } from "./judge.ts"

/** What a server means to change its mind about. */
const HELD_UP: ReadonlySet<Verdict["finding"]> = new Set(["greylisted", "temporary_failure"])

/**
 * When an address is asked again, Unix ms; null when it is not: the answer was final, or it has been asked often enough.
 * A server that names a longer wait than ours is taken at its word (RFC 6647 §2.1). @param attempt rechecks so far
 */
export function nextCheckAt(
  { finding, reply }: Verdict,
  { attempt, from, delaysMs }: { attempt: number; from: number; delaysMs: readonly number[] },
): number | null {
  const delayMs = delaysMs[attempt]
  if (!HELD_UP.has(finding) || delayMs === undefined) return null
  return from + Math.max(delayMs, (reply?.retryAfterSeconds ?? 0) * 1_000)
}
