import type { ValidAddress } from "../address/parse.ts"
import { suggestAddress } from "../address/typo-suggestion.ts"
import { activeClassifier } from "../learning/model.ts"
import { type AccountFlags, type AccountReports, NO_REPORTS } from "../suppression/flags.ts"
import { type Checks, presentBreakdown, presentChecks } from "./checks.ts"
import { confirmReceived, sumUp } from "./score.ts"
import { maySend } from "./send-decision.ts"
import { assess, type Verification, withAccountFlags } from "./verification.ts"

/** The published form of a result, without the address and without what depends on the caller. */
export interface PresentedResult {
  /** The checks as JSON, without those of the call: `email`, `local_part`, `repaired`, `did_you_mean`, `can_send`. */
  readonly json: string
  /** Whether the result alone allows sending. An account's suppression list can still forbid it. */
  readonly canSend: boolean
  /** The same for an account that has received mail from the address. */
  readonly canSendIfReceived: boolean
  /** Whether another address was probably meant. */
  readonly isTypo: boolean
  /** Version of the catch-all classifier that scored an accept-all address. Null when no classifier moved the score. */
  readonly classifier: number | null
}

/** The checks of a stored result as JSON for the cache. They are the same for all accounts and contain no address. */
export function presentCached(verification: Verification): PresentedResult {
  const { evidence, verifiedAt } = verification
  const neutral = isNeutral(verification)
    ? { ...verification, cached: true }
    : assess(evidence, { cached: true, verifiedAt })
  const { email, local_part, repaired, did_you_mean, can_send, ...rest } = presentChecks(neutral)
  const received = withAccountFlags(neutral, { ...NO_REPORTS, isSuppressed: false, isReceived: true })
  const classifier = neutral.catchAll?.modelVersion ?? null
  const sending = { canSend: can_send, canSendIfReceived: received.canSend }
  return { json: JSON.stringify(rest), ...sending, isTypo: did_you_mean !== null, classifier }
}

/** Whether the classifier that scored a cached result is still active. Else the evidence must be judged again. */
export function isCurrent({ classifier }: Pick<PresentedResult, "classifier">): boolean {
  return classifier === null || classifier === activeClassifier().version
}

/** Whether the result contains nothing of an account and no optional prediction. */
function isNeutral({ isSuppressed, reports, breach, prediction }: Verification): boolean {
  return !isSuppressed && breach === undefined && prediction === undefined && !Object.values(reports).includes(true)
}

/** Adds the address of the call and the account's own flags to cached checks. @returns the JSON text of `{checks}` */
export function completeCached(result: PresentedResult, address: ValidAddress, accountFlags: AccountFlags): string {
  const { isReceived, hasBounced } = accountFlags
  const own = JSON.stringify({
    email: address.normalized,
    local_part: address.local,
    repaired: address.repaired,
    did_you_mean: result.isTypo ? suggestAddress(address.normalized, address) : null,
    can_send: maySend(isReceived ? result.canSendIfReceived : result.canSend, accountFlags),
  })
  const json = isReceived || hasBounced ? withReports(result.json, accountFlags) : result.json
  return `{"checks":${own.slice(0, -1)},${json.slice(1)}}`
}

export function cachedChecks(result: PresentedResult, address: ValidAddress, accountFlags: AccountFlags): Checks {
  return (JSON.parse(completeCached(result, address, accountFlags)) as { checks: Checks }).checks
}

/** The same checks as `withAccountFlags` judges them for an account that received mail or reported a bounce. */
function withReports(json: string, { isReceived, hasBounced }: AccountReports): string {
  const checks = JSON.parse(json) as Checks
  const status = hasBounced ? "invalid" : checks.status
  const points = readBreakdown(checks.score_breakdown)
  const score = isReceived ? confirmReceived(points, { status }) : sumUp(points, { status })
  const deliverable = checks.deliverable && !hasBounced
  const { total, grade } = score
  const changed = { deliverable, status, score: total, grade, score_breakdown: presentBreakdown({ score }) }
  return JSON.stringify({ ...checks, ...changed })
}

function readBreakdown(points: Checks["score_breakdown"]) {
  return {
    base: points.base,
    smtpBonus: points.smtp_bonus,
    catchAllBonus: points.catch_all_bonus,
    mxBonus: points.mx_bonus,
    rblPenalty: points.rbl_penalty,
    disposablePenalty: points.disposable_penalty,
    rolePenalty: points.role_penalty,
    mlAdjustment: points.ml_adjustment,
    receivedBonus: points.received_bonus,
  }
}
