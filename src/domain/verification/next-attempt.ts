import type { MailboxEvidence } from "./evidence.ts"
import type { Judged, Verdict } from "./judge.ts"
import type { Verification } from "./verification.ts"

const DEFERRED: ReadonlySet<Verdict["finding"]> = new Set(["greylisted", "temporary_failure"])
/** Failures before the mail server answered. */
const NO_ANSWER: ReadonlySet<Verdict["finding"]> = new Set(["throttled", "unreachable", "no_probe_node", "dns_failure"])
/** The longest wait that a server may request (RFC 6647 §2.1). A later attempt waits again. */
const LONGEST_REQUEST_MS = 60 * 60_000
/** Pause of a chunk whose addresses no probe node answered. */
const NO_NODE_PAUSE_MS = 20_000
/** After this many leases of a chunk, passes without a probe node count like others. */
const UNCOUNTED_LEASES = 12

export interface RetryPolicy {
  /** Only a list also retries an address that no server has answered yet. */
  readonly of: "address" | "list"
  /** Delay before each later attempt, in ms. Their number is the most attempts. */
  readonly delaysMs: readonly number[]
}

/** The wait before the next attempt, in ms; null when the answer is final. @param attempt later attempts so far */
export function nextAttempt({ finding, reply }: Verdict, attempt: number, policy: RetryPolicy): number | null {
  const delayMs = policy.delaysMs[attempt]
  const isWaiting = DEFERRED.has(finding) || (NO_ANSWER.has(finding) && (policy.of === "list" || attempt > 0))
  if (!isWaiting || delayMs === undefined) return null
  return Math.max(delayMs, Math.min(LONGEST_REQUEST_MS, (reply?.retryAfterSeconds ?? 0) * 1_000))
}

export function hasNoServerAnswer({ finding }: Verdict): boolean {
  return NO_ANSWER.has(finding)
}

/** Whether a later probe may have another answer. Not when a node dials none of the mail hosts: all are private. */
export function isTemporary({ verdict, evidence }: Pick<Judged, "verdict" | "evidence">): boolean {
  return (DEFERRED.has(verdict.finding) || NO_ANSWER.has(verdict.finding)) && !hasOnlyPrivateHosts(evidence.mailbox)
}

function hasOnlyPrivateHosts(mailbox: MailboxEvidence | null): boolean {
  const attempts = mailbox?.attempts ?? []
  const isPrivate = ({ outcome }: (typeof attempts)[number]) =>
    outcome.kind === "failure" && outcome.failure === "blocked_address"
  return attempts.length > 0 && attempts.every(isPrivate)
}

/** Delay before a chunk that only lacks a probe node runs again, in ms; null when the pass counts. @param leases so far */
export function pauseWithoutNode(leases: number): number | null {
  return leases < UNCOUNTED_LEASES ? NO_NODE_PAUSE_MS : null
}

interface Planned {
  /** When the last planned retry of a list is due, Unix ms. */
  readonly lastRetryAt: number
  readonly passes: number
  readonly delaysMs: readonly number[]
  /** The job's limit, Unix ms; null without one. */
  readonly endsAt: number | null
}

/** When the last retry is due if an open item needs all of them, Unix ms. Servers may request longer waits. */
export function retriesUntil({ lastRetryAt, passes, delaysMs, endsAt }: Planned): number {
  const until = delaysMs.slice(passes).reduce((at, delay) => at + delay, lastRetryAt)
  return endsAt === null ? until : Math.min(until, endsAt)
}

/** Adds when a deferred address is probed again. Results of an account's own node are not. @param delaysMs per attempt */
export function withRecheck(found: Verification, delaysMs: readonly number[]): Verification {
  const { evidence, verdict, verifiedAt } = found
  const wait = evidence.mailbox?.isPrivate ? null : nextAttempt(verdict, 0, { of: "address", delaysMs })
  return wait === null ? found : { ...found, evidence: { ...evidence, nextCheckAt: verifiedAt + wait } }
}
