import type { Verdict } from "../verdict/judge.ts"
import type { ScoreBreakdown } from "../verdict/score.ts"
import { CAN_SEND_FROM } from "../verdict/send-decision.ts"

export const MAX_ADJUSTMENT = 20
/** Points per unit of probability: half of the distance between the rules' points and the model's. */
export const POINTS_PER_PROBABILITY = 50
/**
 * The highest score below `can_send`. The model alone makes neither an unanswered address nor an unlikely catch-all
 * mailbox sendable.
 */
const UNSENDABLE_CEILING = CAN_SEND_FROM - 1

/**
 * Score points of a prediction, -20 to +20: half the distance from the rules' points for reaching the mailbox to 100 times
 * the probability. A refused or malformed address does not move. Penalties for the kind of address stay unchanged.
 */
export function adjustmentOf(
  probability: number,
  breakdown: Pick<ScoreBreakdown, "base" | "smtpBonus" | "catchAllBonus" | "mxBonus">,
  { status }: Pick<Verdict, "status">,
): number {
  if (status === "invalid" || status === "invalid_syntax") return 0
  const { base, smtpBonus, catchAllBonus, mxBonus } = breakdown
  const byRules = base + smtpBonus + catchAllBonus + mxBonus
  const half = Math.round(POINTS_PER_PROBABILITY * probability - byRules / 2)
  const bounded = Math.max(-MAX_ADJUSTMENT, Math.min(MAX_ADJUSTMENT, half))
  if (status !== "unknown" && catchAllBonus >= 0) return bounded
  return Math.min(bounded, Math.max(0, UNSENDABLE_CEILING - byRules))
}
