import { repairsOf } from "../address/parse.ts"
import { patternOf } from "../address/pattern.ts"
import { shownEmail } from "../address/shown-email.ts"
import { topLevelExists } from "../lists/top-level.ts"
import { mailHostsOf, operatorOf } from "../smtp-reply/operators.ts"
import { iso } from "../time.ts"
import { didYouMean } from "../typo/did-you-mean.ts"
import { domainAgeDays, hasLiveMailHost, mxKindOf, webPresenceOf } from "./domain-facts.ts"
import { isDeliverable } from "./judge.ts"
import { nullReasons } from "./null-reasons.ts"
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

/** The signals that may be null. */
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

/** What the Gravatar check and the check of the website found. */
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
