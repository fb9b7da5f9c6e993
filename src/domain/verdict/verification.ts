import type { ParsedAddress } from "../address/parse.ts"
import { classifyMxHosts } from "../lists/classify.ts"
import { mailHostsOf } from "../mail/operators.ts"
import { adjustmentOf } from "../model/adjustment.ts"
import type { Standing } from "../suppression/mark.ts"
import type { BreachFinding } from "./breach.ts"
import type { Evidence } from "./evidence.ts"
import { renewed } from "./evidence-about.ts"
import { judge, type Verdict } from "./judge.ts"
import type { Prediction } from "./prediction.ts"
import { adjust, canSend, confirmReceived, type Score, score } from "./score.ts"

/** The one internal result of a verification. The three shapes of the interface are presenters over it. */
export interface Verification {
  readonly evidence: Evidence
  readonly verdict: Verdict
  readonly score: Score
  readonly canSend: boolean
  readonly isSuppressed: boolean
  /** Missing: not asked for; null: nobody could tell. */
  readonly breach?: BreachFinding | null
  /** What the model makes of it. Missing: not asked for. */
  readonly prediction?: Prediction
  /** Whether somebody uses the mailbox, 0 to 100. Missing: not asked for; null: nobody could tell. */
  readonly activityScore?: number | null
  /** Served from the store: neither counted nor billed. */
  readonly cached: boolean
  /** Unix milliseconds. */
  readonly verifiedAt: number
}

/** Judges and scores evidence; needs no network, so stored evidence can be re-scored by newer rules. */
export function assess(found: Evidence, context: Pick<Verification, "cached" | "verifiedAt">): Verification {
  const evidence = withMailHostClass(found)
  const verdict = judge(evidence)
  const points = score(evidence, verdict)
  return { evidence, verdict, score: points, isSuppressed: false, canSend: canSend(points, verdict, false), ...context }
}

/** A stored result judged anew: by the rules and lists in force, of the address as it is written now. */
export function reassess(
  { evidence, verifiedAt }: Pick<Verification, "evidence" | "verifiedAt">,
  address: ParsedAddress,
): Verification {
  return assess(renewed(evidence, address), { cached: true, verifiedAt })
}

/** The result as it is for one account: with its suppressions, and what it has received. Never stored for others. */
export function withStanding(verification: Verification, { isSuppressed, isReceived }: Standing): Verification {
  const { verdict, score } = verification
  const points = isReceived ? confirmReceived(score.breakdown, verdict) : score
  return { ...verification, score: points, isSuppressed, canSend: canSend(points, verdict, isSuppressed) }
}

/** The result with a prediction, which moves the score. Before `withStanding`; never stored for others. */
export function withPrediction(verification: Verification, prediction: Prediction): Verification {
  const { verdict, score, isSuppressed } = verification
  const points = adjust(score.breakdown, verdict, adjustmentOf(prediction.probability, score.breakdown, verdict))
  return { ...verification, prediction, score: points, canSend: canSend(points, verdict, isSuppressed) }
}

/** A domain on no list is disposable all the same when its mail goes to servers that only serve such inboxes. */
function withMailHostClass(evidence: Evidence): Evidence {
  const { lists, domain } = evidence
  if (lists.isDisposable || lists.isRelay || lists.isFree || !domain) return evidence
  if (!classifyMxHosts(mailHostsOf(domain.route)).isDisposable) return evidence
  return { ...evidence, lists: { ...lists, isDisposable: true, isCorporate: false } }
}
