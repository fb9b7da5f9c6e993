import type { z } from "@hono/zod-openapi"
import type { PresentedResult } from "../../adapters/cache/result-cache.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import type { Standing } from "../../domain/suppression/mark.ts"
import { confirmReceived } from "../../domain/verdict/score.ts"
import { assess, type Verification, withStanding } from "../../domain/verdict/verification.ts"
import { type Checks, presentBreakdown, presentChecks, type ScoreBreakdown } from "./checks.ts"

/** The checks of a stored result as text for the cache: what is the same for everybody, and no address. */
export function presentCached(verification: Verification): PresentedResult {
  const { evidence, verifiedAt } = verification
  const neutral = assess(evidence, { cached: true, verifiedAt })
  const { email, local_part, can_send, ...rest } = presentChecks(neutral)
  const received = withStanding(neutral, { isSuppressed: false, isReceived: true })
  return { json: JSON.stringify(rest), canSend: can_send, canSendIfReceived: received.canSend }
}

/** Puts the address and what is the caller's own back: the JSON text of `{checks}`. */
export function completeCached(result: PresentedResult, address: ValidAddress, standing: Standing): string {
  const { isSuppressed, isReceived } = standing
  const canSend = !isSuppressed && (isReceived ? result.canSendIfReceived : result.canSend)
  const own = JSON.stringify({ email: address.normalized, local_part: address.local, can_send: canSend })
  const json = isReceived ? confirm(result.json) : result.json
  return `{"checks":${own.slice(0, -1)},${json.slice(1)}}`
}

/** The same checks with the score they have where mail from the address has been received. */
function confirm(json: string): string {
  const checks = JSON.parse(json) as z.infer<typeof Checks>
  const { score_breakdown: points, status } = checks
  const score = confirmReceived(readBreakdown(points), { status })
  const { total, grade } = score
  return JSON.stringify({ ...checks, score: total, grade, score_breakdown: presentBreakdown({ score }) })
}

function readBreakdown(points: z.infer<typeof ScoreBreakdown>) {
  return {
    base: points.base,
    smtpBonus: points.smtp_bonus,
    mxBonus: points.mx_bonus,
    rblPenalty: points.rbl_penalty,
    disposablePenalty: points.disposable_penalty,
    rolePenalty: points.role_penalty,
    mlAdjustment: points.ml_adjustment,
    receivedBonus: points.received_bonus,
  }
}
