import type { ParsedAddress } from "../address/parse.ts"
import type { AccountFlags } from "../feedback/flags.ts"
import { adjustmentOf } from "../learning/adjustment.ts"
import { classifyMxHosts } from "../lists/classify.ts"
import { mailHostsOf } from "../smtp-reply/operators.ts"
import type { BreachFinding } from "./breach.ts"
import type { Evidence, StoredEvidence } from "./evidence.ts"
import { forCurrentSpelling } from "./evidence-about.ts"
import { classifyReplies, judge, type MailboxReplies, type Verdict } from "./judge.ts"
import type { Prediction } from "./prediction.ts"
import { adjust, canSend, confirmReceived, type Score, score } from "./score.ts"

/** The internal result of a verification. The three response forms of the API present it. */
export interface Verification {
  readonly evidence: Evidence
  /** What the mail server's replies mean, by the active rules. Never stored. */
  readonly replies: MailboxReplies
  readonly verdict: Verdict
  readonly score: Score
  readonly canSend: boolean
  readonly isSuppressed: boolean
  /** Missing: not requested. Null: unknown. */
  readonly breach?: BreachFinding | null
  /** Prediction of the model. Missing: not requested. */
  readonly prediction?: Prediction
  /** How likely the mailbox is in use, 0 to 100. Missing: not requested. Null: unknown. */
  readonly activityScore?: number | null
  /** Served from the store: not counted and not billed. */
  readonly cached: boolean
  /** Unix milliseconds. */
  readonly verifiedAt: number
}

/** Judges and scores evidence. Needs no network, so that newer rules can re-score stored evidence. */
export function assess(found: Evidence, context: Pick<Verification, "cached" | "verifiedAt">): Verification {
  const evidence = withMailHostClass(found)
  const replies = classifyReplies(evidence)
  const verdict = judge(evidence, replies)
  const points = score(evidence, verdict)
  const judged = { evidence, replies, verdict, score: points }
  return { ...judged, isSuppressed: false, canSend: canSend(points, verdict, false), ...context }
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

/** The result for one account, with its account flags: suppressed, mail received. Never stored for other accounts. */
export function withAccountFlags(
  verification: Verification,
  { isSuppressed, isReceived }: Pick<AccountFlags, "isSuppressed" | "isReceived">,
): Verification {
  const { verdict, score } = verification
  const points = isReceived ? confirmReceived(score.breakdown, verdict) : score
  return { ...verification, score: points, isSuppressed, canSend: canSend(points, verdict, isSuppressed) }
}

/** The result with a prediction, which moves the score. Before `withAccountFlags`. Never stored for other accounts. */
export function withPrediction(verification: Verification, prediction: Prediction): Verification {
  const { verdict, score, isSuppressed } = verification
  const points = adjust(score.breakdown, verdict, adjustmentOf(prediction.probability, score.breakdown, verdict))
  return { ...verification, prediction, score: points, canSend: canSend(points, verdict, isSuppressed) }
}

/** A domain without a list entry is disposable when its MX hosts serve only disposable inboxes. */
function withMailHostClass(evidence: Evidence): Evidence {
  const { lists, domain } = evidence
  if (lists.isDisposable || lists.isRelay || lists.isFree || !domain) return evidence
  if (!classifyMxHosts(mailHostsOf(domain.route)).isDisposable) return evidence
  return { ...evidence, lists: { ...lists, isDisposable: true, isCorporate: false } }
}
