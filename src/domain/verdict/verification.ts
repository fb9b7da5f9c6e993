import type { BreachFinding } from "./breach.ts"
import type { Evidence } from "./evidence.ts"
import { judge, type Verdict } from "./judge.ts"
import { canSend, type Score, score } from "./score.ts"

/** The one internal result of a verification. The three shapes of the interface are presenters over it. */
export interface Verification {
  readonly evidence: Evidence
  readonly verdict: Verdict
  readonly score: Score
  readonly canSend: boolean
  readonly isSuppressed: boolean
  /** Missing: not asked for; null: nobody could tell. */
  readonly breach?: BreachFinding | null
  /** Served from the store: neither counted nor billed. */
  readonly cached: boolean
  /** Unix milliseconds. */
  readonly verifiedAt: number
}

/** Judges and scores evidence; needs no network, so stored evidence can be re-scored by newer rules. */
export function assess(
  evidence: Evidence,
  context: { cached: boolean; isSuppressed: boolean; verifiedAt: number },
): Verification {
  const verdict = judge(evidence)
  const points = score(evidence, verdict)
  return { evidence, verdict, score: points, canSend: canSend(points, verdict, context.isSuppressed), ...context }
}
