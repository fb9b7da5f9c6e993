import type { Verdict } from "../verdict/judge.ts"
import type { ScoreBreakdown } from "../verdict/score.ts"

export const MAX_ADJUSTMENT = 20
/** Points for each unit of probability: half of the distance between the rules' points and the model's is taken. */
export const POINTS_PER_PROBABILITY = 50
/** The model alone makes no unanswered address sendable: the last point below `can_send`. */
const UNANSWERED_CEILING = 59

/**
 * The points a prediction moves the score by, -20 to +20: half of the way from what the rules gave for reaching the mailbox to a
 * hundred times the probability. What is settled (a refusal, a malformed address) is not moved; penalties for what an
 * address is, not whether it exists, stay as they are.
 */
export function adjustmentOf(
  probability: number,
  breakdown: Pick<ScoreBreakdown, "base" | "smtpBonus" | "mxBonus">,
  { status }: Pick<Verdict, "status">,
): number {
  if (status === "invalid" || status === "invalid_syntax") return 0
  const { base, smtpBonus, mxBonus } = breakdown
  const byRules = base + smtpBonus + mxBonus
  const half = Math.round(POINTS_PER_PROBABILITY * probability - byRules / 2)
  const bounded = Math.max(-MAX_ADJUSTMENT, Math.min(MAX_ADJUSTMENT, half))
  if (status !== "unknown") return bounded
  return Math.min(bounded, Math.max(0, UNANSWERED_CEILING - byRules))
}
