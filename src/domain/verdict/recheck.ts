import type { Verdict } from "./judge.ts"

/** What a server means to change its mind about. */
const HELD_UP: ReadonlySet<Verdict["finding"]> = new Set(["greylisted", "temporary_failure"])
/** Of ours or on the way: the server has not been heard, and what it said before still holds. */
const TROUBLE: ReadonlySet<Verdict["finding"]> = new Set(["throttled", "unreachable", "no_probe_node", "dns_failure"])

/** Whether nobody heard what the server had to say. */
export function isTrouble({ finding }: Verdict): boolean {
  return TROUBLE.has(finding)
}

/**
 * When an address is asked again, Unix ms; null when it is not: the answer was final, or it has been asked often enough.
 * A server that names a longer wait than ours is taken at its word (RFC 6647 §2.1). Trouble in a recheck is no answer: the
 * next turn stays. @param attempt rechecks so far
 */
export function nextCheckAt(
  verdict: Verdict,
  { attempt, from, delaysMs }: { attempt: number; from: number; delaysMs: readonly number[] },
): number | null {
  const { finding, reply } = verdict
  const delayMs = delaysMs[attempt]
  const isWaiting = HELD_UP.has(finding) || (attempt > 0 && isTrouble(verdict))
  if (!isWaiting || delayMs === undefined) return null
  return from + Math.max(delayMs, (reply?.retryAfterSeconds ?? 0) * 1_000)
}
