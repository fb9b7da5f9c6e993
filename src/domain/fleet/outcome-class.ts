import type { CanaryFinding } from "../../../schema/vocabulary.ts"
import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import { classifyOutcome, type ReplyVerdict } from "../smtp-reply/classify-reply.ts"
import type { OutcomeClass } from "./route-stats.ts"

/** Failures of the node itself. Another node may succeed. */
const NODE_FAILURES: ReadonlySet<string> = new Set(["throttled", "shutdown", "proxy"])

/** Whether the node failed before it reached the mail server. The request should go to another node. */
export function isNodeFailure(outcome: RecipientOutcome): boolean {
  return outcome.kind === "failure" && NODE_FAILURES.has(outcome.failure)
}

/** What an outcome says about the source IP at this operator; null for nothing. @param reply the classified reply */
export function outcomeClassOf(
  outcome: RecipientOutcome,
  reply: ReplyVerdict | null = classifyOutcome(outcome),
): OutcomeClass | null {
  if (outcome.kind === "failure") return isNodeFailure(outcome) || outcome.failure === "deadline" ? null : "failed"
  switch (reply?.class) {
    case "accepted":
    case "mailbox_full":
      return "answered"
    case "mailbox_missing":
    case "mailbox_disabled":
      return "missing"
    case "greylisted":
    case "temporary":
      return "deferred"
    case "refuses_us":
      // A policy reply at RCPT may be the recipient's own policy. It says nothing about other recipients.
      return outcome.stage === "rcpt" && reply.reason === "policy" ? "failed" : "blocked"
    default:
      return "failed"
  }
}

interface NegativeAnswer {
  readonly outcome: RecipientOutcome
  /** The classified reply; null without a reply. */
  readonly classified: ReplyVerdict | null
  /** Class of the previous outcome for this recipient; null without one. */
  readonly before: OutcomeClass | null
  /** The operator reports nearly every recipient as missing to this source IP. */
  readonly isSuspect: boolean
}

/** Whether a second node must confirm "no such mailbox", because a wrong one costs the sender a valid address. */
export function needsSecondOpinion({ outcome, classified, before, isSuspect }: NegativeAnswer): boolean {
  return outcomeClassOf(outcome, classified) === "missing" && (isSuspect || before === "answered")
}

/** Compares an operator's answers about two known addresses, one existing and one missing. */
export function readCanary(existing: RecipientOutcome | null, missing: RecipientOutcome | null): CanaryFinding {
  const [real, unreal] = [existing, missing].map((outcome) => (outcome === null ? null : outcomeClassOf(outcome)))
  if (real === "answered" && unreal === "missing") return "as_expected"
  if (real === "answered" && unreal === "answered") return "blanket_accept"
  const isRejected = (outcomeClass: unknown) => outcomeClass === "missing" || outcomeClass === "blocked"
  return isRejected(real) && isRejected(unreal) ? "blanket_refuse" : "unclear"
}

export function isDrift(finding: CanaryFinding | null): boolean {
  return finding === "blanket_accept" || finding === "blanket_refuse"
}
