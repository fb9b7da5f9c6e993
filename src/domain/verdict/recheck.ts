import { requestedWaitMs } from "../smtp-reply/retry-delay.ts"
import type { Verdict } from "./judge.ts"

/** Temporary answers of a mail server. */
const DEFERRED: ReadonlySet<Verdict["finding"]> = new Set(["greylisted", "temporary_failure"])
/** Failures before the mail server answered. Its previous answer still holds. */
const NO_ANSWER: ReadonlySet<Verdict["finding"]> = new Set(["throttled", "unreachable", "no_probe_node", "dns_failure"])

/** Whether the mail server gave no answer. */
export function hasNoServerAnswer({ finding }: Verdict): boolean {
  return NO_ANSWER.has(finding)
}

/**
 * Time of the next recheck, Unix ms; null when the answer is final or all rechecks are used. A longer wait that the server
 * requests wins, up to an hour (RFC 6647 §2.1). A recheck without an answer does not end the series. @param attempt rechecks so far
 */
export function nextCheckAt(
  verdict: Verdict,
  { attempt, from, delaysMs }: { attempt: number; from: number; delaysMs: readonly number[] },
): number | null {
  const { finding, reply } = verdict
  const delayMs = delaysMs[attempt]
  const isWaiting = DEFERRED.has(finding) || (attempt > 0 && hasNoServerAnswer(verdict))
  if (!isWaiting || delayMs === undefined) return null
  return from + Math.max(delayMs, requestedWaitMs(reply))
}
