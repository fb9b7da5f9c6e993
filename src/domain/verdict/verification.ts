import type { ParsedAddress } from "../address/parse.ts"
import { estimateMailbox } from "../catch-all/estimate.ts"
import type { Resolution } from "../catch-all/resolve.ts"
import { type AccountFlags, type AccountReports, NO_REPORTS } from "../feedback/flags.ts"
import { adjustmentOf } from "../learning/adjustment.ts"
import { classifyByHosts } from "../lists/classify-by-hosts.ts"
import { mailHostsOf } from "../smtp-reply/operators.ts"
import type { BreachResult } from "./breach.ts"
import type { Evidence, StoredEvidence } from "./evidence.ts"
import { forCurrentSpelling } from "./evidence-about.ts"
import { classifyReplies, type Judged, judge, judgeBounced } from "./judge.ts"
import type { Prediction } from "./prediction.ts"
import { adjust, confirmReceived, type Score, score, sumUp } from "./score.ts"
import { allowsSending, maySend } from "./send-decision.ts"

/** The internal result of a verification. The three response forms of the API present it. */
export interface Verification extends Judged {
  /** How likely an accept-all mailbox exists, by the active classifier. Null for any other status. Never stored. */
  readonly catchAll: Resolution | null
  readonly score: Score
  readonly canSend: boolean
  readonly isSuppressed: boolean
  /** What the account's own mail showed. */
  readonly reports: AccountReports
  /** Missing: not requested. */
  readonly breach?: BreachResult
  /** Prediction of the model. Missing: not requested. */
  readonly prediction?: Prediction
  /** How likely the mailbox is in use, 0 to 100. Missing: not requested. Null: unknown. */
  readonly activityScore?: number | null
  /** Served from the store: not counted and not billed. */
  readonly cached: boolean
}

/** Judges and scores evidence. Needs no network, so that newer rules can re-score stored evidence. */
export function assess(found: Evidence, context: Pick<Verification, "cached" | "verifiedAt">): Verification {
  const evidence = withMailHostClass(found)
  const replies = classifyReplies(evidence)
  const verdict = judge(evidence, replies)
  const judged = { evidence, replies, verdict, ...context }
  const catchAll = verdict.status === "accept_all" ? (estimateMailbox(judged)?.resolution ?? null) : null
  const points = score(evidence, verdict, catchAll?.probability ?? null)
  const flags = { isSuppressed: false, reports: NO_REPORTS }
  return { ...judged, catchAll, score: points, ...flags, canSend: allowsSending(points.total, verdict) }
}

/** The part of a result that is counted. */
export function answerOf({ verdict, score, canSend, cached }: Verification) {
  return { status: verdict.status, score: score.total, canSend, cached }
}

/** Judges a stored result again: by the active rules and lists, and for the current spelling of the address. */
export function reassess(
  { evidence, verifiedAt }: { evidence: StoredEvidence; verifiedAt: number },
  address: ParsedAddress,
): Verification {
  return assess(forCurrentSpelling(evidence, address), { cached: true, verifiedAt })
}

/** The result for one account: its suppressions, and what its own mail showed. Never stored for other accounts. */
export function withAccountFlags(verification: Verification, flags: Omit<AccountFlags, "hidesUntil">): Verification {
  const { isSuppressed, isReceived, hasBounced, hasComplained } = flags
  const { breakdown } = verification.score
  const verdict = hasBounced ? judgeBounced(verification.verdict) : verification.verdict
  const points = isReceived ? confirmReceived(breakdown, verdict) : sumUp(breakdown, verdict)
  return {
    ...verification,
    verdict,
    score: points,
    isSuppressed,
    reports: { isReceived, hasBounced, hasComplained },
    canSend: maySend(allowsSending(points.total, verdict), flags),
  }
}

/** The result with a prediction, which moves the score. Before `withAccountFlags`. Never stored for other accounts. */
export function withPrediction(verification: Verification, prediction: Prediction): Verification {
  const { verdict, score } = verification
  const points = adjust(score.breakdown, verdict, adjustmentOf(prediction.probability, score.breakdown, verdict))
  return { ...verification, prediction, score: points, canSend: allowsSending(points.total, verdict) }
}

/** The evidence with the classes that the domain's mail hosts confirm or overrule. */
function withMailHostClass(evidence: Evidence): Evidence {
  const { address, lists, domain } = evidence
  return domain ? { ...evidence, lists: classifyByHosts(address, mailHostsOf(domain.route), lists) } : evidence
}
