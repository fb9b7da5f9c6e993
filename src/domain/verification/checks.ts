import { patternOf, shownEmail } from "../address/address-forms.ts"
import { repairsOf, type ValidAddress } from "../address/parse.ts"
import { didYouMean } from "../address/typo-suggestion.ts"
import { topLevelExists } from "../reference/active-lists.ts"
import { mailHostsOf, operatorOf } from "../smtp-reply/operators.ts"
import type { AccountFlags } from "../suppression/flags.ts"
import { iso } from "../time.ts"
import { domainAgeDays, type FactName, hasLiveMailHost, mxKindOf, webPresenceOf } from "./evidence.ts"
import { isDeliverable } from "./judge.ts"
import { gradeOf } from "./score.ts"
import { maySend, type StoredDecision, storedDecision } from "./send-decision.ts"
import type { Verification } from "./verification.ts"

/** The published form of a verification, which the edge cache and the account's history also store. */
export type Checks = ReturnType<typeof presentChecks>

export function presentBreakdown({ score: { breakdown } }: Pick<Verification, "score">) {
  return {
    base: breakdown.base,
    smtp_bonus: breakdown.smtpBonus,
    catch_all_bonus: breakdown.catchAllBonus,
    mx_bonus: breakdown.mxBonus,
    rbl_penalty: breakdown.rblPenalty,
    disposable_penalty: breakdown.disposablePenalty,
    role_penalty: breakdown.rolePenalty,
    ml_adjustment: breakdown.mlAdjustment,
    received_bonus: breakdown.receivedBonus,
  }
}

export function presentChecks(verification: Verification) {
  const { evidence, verdict, score, canSend, cached, verifiedAt } = verification
  const { address, lists } = evidence
  const domain = presentDomain(verification)
  const signals = presentSignals(verification)
  return {
    email: shownEmail(address),
    repaired: repairsOf(address),
    did_you_mean: didYouMean(address, evidence.domain?.route),
    deliverable: isDeliverable(verdict),
    can_send: canSend,
    status: verdict.status,
    score: score.total,
    grade: score.grade,
    score_breakdown: presentBreakdown(verification),
    is_catch_all: verdict.isCatchAll === true,
    is_role_account: lists.isRole,
    is_disposable: lists.isDisposable,
    is_free_provider: lists.isFree,
    is_subaddress: lists.isSubaddress,
    is_corporate: lists.isCorporate,
    is_relay: lists.isRelay,
    is_government: lists.isGovernment,
    is_education: lists.isEducation,
    ...domain,
    ...presentSmtp(verification),
    ...presentRbl(verification),
    ...signals,
    null_reasons: nullReasons({ ...signals, mx_kind: domain.mx_kind, tld_exists: domain.tld_exists }, verification),
    cached,
    next_check_at: iso(evidence.nextCheckAt),
    verified_at: iso(verifiedAt),
    local_part: address.ok ? address.local : "",
    syntax_valid: address.ok,
    pattern_match: address.ok ? patternOf(address.local) : "",
  }
}

function presentSignals(verification: Verification) {
  const { breach, evidence, verifiedAt } = verification
  const { found = null, count = null } = typeof breach === "object" ? breach : {}
  return {
    ...presentPresence(verification),
    breach_found: found,
    breach_count: count,
    ml_score: mlScore(verification),
    domain_age_days: domainAgeDays(evidence.domain, verifiedAt),
  }
}

export function presentPresence({ evidence: { gravatar, domain } }: Verification) {
  return { gravatar: gravatar?.found ?? null, web_presence: webPresenceOf(domain) }
}

/** Rounded to four digits, more than the model's precision. */
export function mlScore({ prediction }: Pick<Verification, "prediction">): number | null {
  return prediction ? Math.round(prediction.probability * 1e4) / 1e4 : null
}

function presentDomain({ evidence: { address, domain, mailbox } }: Verification) {
  const mxHosts = mailHostsOf(domain?.route)
  return {
    domain: address.ok ? address.domain : "",
    tld: address.ok ? address.tld : "",
    tld_exists: address.ok ? topLevelExists(address.tld) : null,
    provider: operatorOf(mailbox?.session?.mxHost ?? mxHosts[0]),
    mx_valid: domain !== null && hasLiveMailHost(domain),
    mx_kind: domain && mxKindOf(domain.route),
    mx_records: mxHosts,
    spf_valid: domain?.spf?.kind === "valid",
    dkim_present: domain?.dkim?.present === true,
  }
}

function presentRbl({ evidence: { domain } }: Verification) {
  const { checked = [], matched = [] } = domain?.rbl ?? {}
  return { rbl_listed: matched.length > 0, rbl_lists_checked: checked.length, rbl_lists_matched: [...matched] }
}

function presentSmtp({ evidence: { mailbox }, verdict }: Verification) {
  return {
    smtp_verified: verdict.smtpStatus === "accepted",
    smtp_status: verdict.smtpStatus,
    smtp_response_code: mailbox?.outcome.kind === "reply" ? mailbox.outcome.reply.code : 0,
    smtp_banner: mailbox?.session?.greeting?.text ?? "",
    smtp_connect_ms: Math.round(mailbox?.session?.connectMs ?? 0),
    smtp_total_ms: Math.round(mailbox?.totalMs ?? 0),
  }
}

/** Statuses of variant B; a malformed address is plain `invalid` there. */
export const DELIVERABILITY_STATUSES = ["valid", "invalid", "accept_all", "unknown"] as const

/** Short result for long lists. A stored status, score and send decision are enough for it. */
export type Brief = ReturnType<typeof briefOf>

export function briefOf({ evidence, verdict, score, canSend, cached }: Verification) {
  const { address, domain } = evidence
  return {
    email: shownEmail(address),
    repaired: repairsOf(address),
    didYouMean: didYouMean(address, domain?.route),
    deliverable: isDeliverable(verdict),
    canSend,
    status: verdict.status,
    score: score.total,
    grade: score.grade,
    cached,
  }
}

/** The brief of a stored result for an account. Only accepted recipients become valid or accept_all. */
export function storedBrief(address: ValidAddress, stored: StoredDecision, account: AccountFlags): Brief {
  const { status, score } = stored
  const deliverable = status === "valid" || status === "accept_all"
  return {
    email: address.normalized,
    repaired: repairsOf(address),
    // Only the text is known. An accepted recipient is no typo.
    didYouMean: deliverable ? null : didYouMean(address, undefined),
    deliverable,
    canSend: maySend(storedDecision(stored), account),
    status,
    score,
    grade: gradeOf(score),
    cached: true,
  }
}

/** Why a field has no value: the caller requested no check, no service is configured or answered, or it never has one. */
export const NULL_REASONS = ["not_requested", "not_configured", "no_answer", "not_applicable"] as const
type NullReason = (typeof NULL_REASONS)[number]

/** The fields of an answer that hold evidence and may be null. */
type NullableField = keyof typeof REASONS

/** The reason of each field, read only when the field is null. */
const REASONS = {
  gravatar: ({ evidence: { gravatar, notConfigured } }) => {
    if (!gravatar) return "not_requested"
    return notConfigured?.includes("gravatar") ? "not_configured" : "no_answer"
  },
  web_presence: (verification) => reasonOfFact("web", verification),
  domain_age_days: (verification) => reasonOfFact("registration", verification),
  breach_found: reasonOfBreach,
  breach_count: reasonOfBreach,
  ml_score: () => "not_requested",
  ml: () => "not_requested",
  activity_score: ({ activityScore }) => (activityScore === undefined ? "not_requested" : "no_answer"),
  mx_kind: () => "no_answer",
  // Only reserved names (RFC 6761), which are in no root zone.
  tld_exists: () => "not_applicable",
  // Only an address that was not probed has no sub-status.
  sub_status: () => "not_requested",
} satisfies Record<string, (verification: Verification) => NullReason>

/** Why each null field has no value. @param fields values by the name of the field in the answer */
export function nullReasons(
  fields: { readonly [Name in NullableField]?: unknown },
  verification: Verification,
): Record<string, NullReason> {
  const names = (Object.keys(fields) as NullableField[]).filter((name) => fields[name] === null)
  const isWellFormed = verification.evidence.address.ok
  return Object.fromEntries(
    names.map((name) => [name, isWellFormed ? REASONS[name](verification) : "not_applicable"] as const),
  )
}

function reasonOfFact(
  name: Exclude<FactName, "route">,
  { evidence: { domain, notConfigured } }: Verification,
): NullReason {
  // DNS did not answer before the deadline.
  if (!domain) return "no_answer"
  if (domain[name] === undefined) return "not_requested"
  if (domain.route.kind === "no_such_domain") return "not_applicable"
  return notConfigured?.some((service) => service === name) ? "not_configured" : "no_answer"
}

function reasonOfBreach({ breach }: Verification): NullReason {
  return typeof breach === "string" ? breach : "not_requested"
}
