import { z } from "@hono/zod-openapi"
import { repairsOf } from "../../domain/address/parse.ts"
import { didYouMean } from "../../domain/address/typo-suggestion.ts"
import { topLevelExists } from "../../domain/reference/active-lists.ts"
import { findOperator, mailHostsOf, operatorOf } from "../../domain/smtp-reply/operators.ts"
import { type DomainFacts, domainAgeDays, hasLiveMailHost, mxKindOf } from "../../domain/verification/evidence.ts"
import { advise, type Verification } from "../../domain/verification/verification.ts"
import { canSend, grade, score, verdictStatus } from "../../http/answer-fields.ts"
import { component } from "../../http/fields.ts"
import { PrimaryRisk } from "./checks.ts"

export const Summary = component("Summary", "The verdict in short", {
  score: score,
  grade: grade,
  can_send: canSend,
  status: verdictStatus,
  primary_risk: PrimaryRisk,
})

export const NormalizedChecks = z
  .object({ syntax: z.string().openapi({ description: "`valid` or `invalid`" }) })
  .catchall(z.string())
  .openapi("NormalizedChecks", { description: "Each check's result as one word, variant C" })

export function presentSummary(verification: Verification): z.infer<typeof Summary> {
  const { score, canSend, verdict } = verification
  return {
    score: score.total,
    grade: score.grade,
    can_send: canSend,
    status: verdict.status,
    primary_risk: advise(verification).primaryRisk,
  }
}

const yesNo = (value: boolean | null | undefined) => (value == null ? "unknown" : value ? "yes" : "no")
const present = (value: boolean | null | undefined) => (value == null ? "unknown" : value ? "present" : "missing")

const SPF_ALL = { "-": "fail", "~": "softfail", "?": "neutral", "+": "pass", none: "none" } as const
/** Mail from a domain younger than this is often treated with suspicion. */
const NEW_DOMAIN_DAYS = 30

/** Variant C's map: one word for each check. */
export function presentNormalized(verification: Verification): z.infer<typeof NormalizedChecks> {
  const { evidence, verdict, cached, isSuppressed, breach } = verification
  const { address, lists, domain } = evidence
  return {
    syntax: address.ok ? "valid" : "invalid",
    syntax_reason: address.ok ? "none" : address.reason,
    repaired: repairsOf(address).join(",") || "none",
    did_you_mean: didYouMean(address, domain?.route) ?? "none",
    idn: yesNo(address.ok ? address.domain !== address.domainUnicode : null),
    mixed_script: yesNo(address.ok ? address.mixedScript : null),
    smtputf8: address.ok && address.needsSmtpUtf8 ? "needed" : "not_needed",
    tld_exists: yesNo(address.ok ? topLevelExists(address.tld) : null),
    domain: domain?.route.kind ?? "unknown",
    ...presentMailHosts(domain),
    ...presentMailAuth(domain),
    ...presentSignals(verification),
    ...presentMailbox(verification),
    catch_all: yesNo(verdict.isCatchAll),
    disposable: yesNo(lists.isDisposable),
    role_account: yesNo(lists.isRole),
    free_provider: yesNo(lists.isFree),
    corporate: yesNo(lists.isCorporate),
    subaddress: yesNo(lists.isSubaddress),
    relay: yesNo(lists.isRelay),
    institution: lists.isGovernment ? "government" : lists.isEducation ? "education" : "none",
    suppression: isSuppressed ? "suppressed" : "clear",
    account_report: reportOf(verification),
    breach: typeof breach === "object" ? yesNo(breach.found) : "unknown",
    cache: cached ? "hit" : "miss",
  }
}

/** The report of the account's own mail that decides. */
function reportOf({ reports }: Verification) {
  if (reports.hasBounced) return "hard_bounce"
  if (reports.hasComplained) return "spam_complaint"
  return reports.isReceived ? "received" : "none"
}

function presentMailHosts(domain: DomainFacts | null) {
  const exchangers = domain?.exchangers?.length ? domain.exchangers : null
  const without = domain?.exchangers && domain.route.kind !== "dns_failure" ? "none" : "unknown"
  const dead = exchangers?.filter(({ addresses }) => addresses?.length === 0).length ?? 0
  return {
    mx: domain ? (hasLiveMailHost(domain) ? "valid" : "invalid") : "unknown",
    mx_kind: (domain && mxKindOf(domain.route)) ?? "unknown",
    mx_hosts: !exchangers ? without : dead === 0 ? "alive" : dead < exchangers.length ? "some_dead" : "dead",
    mx_alias: exchangers ? yesNo(exchangers.some(({ isAlias }) => isAlias)) : "unknown",
    provider: operatorOf(mailHostsOf(domain?.route)[0]),
    provider_kind: findOperator(mailHostsOf(domain?.route)[0])?.kind ?? "unknown",
  }
}

function presentMailAuth(domain: DomainFacts | null) {
  const { spf, dkim, dmarc, mtaSts, bimi } = domain ?? {}
  return {
    spf: spf?.kind ?? "unknown",
    spf_problem: spf?.kind === "permerror" ? spf.problem : "none",
    spf_all: spf?.kind === "valid" ? SPF_ALL[spf.all ?? "none"] : "unknown",
    dkim: present(dkim?.present),
    dmarc: dmarc?.kind === "record" ? "present" : dmarc?.kind === "none" ? "missing" : (dmarc?.kind ?? "unknown"),
    dmarc_policy: dmarc?.kind === "record" ? dmarc.policy : "none",
    mta_sts:
      mtaSts?.kind === "policy" ? mtaSts.mode : mtaSts?.kind === "none" ? "missing" : (mtaSts?.kind ?? "unknown"),
    bimi: bimi?.kind === "record" ? "present" : bimi?.kind === "none" ? "missing" : (bimi?.kind ?? "unknown"),
  }
}

/** A check that did not run is "skipped". A check without an answer is "unknown". */
function presentSignals(verification: Verification) {
  const { domain, gravatar } = verification.evidence
  const { rbl, web, registration } = domain ?? {}
  const unanswered = (value: unknown) => (value === undefined ? "skipped" : "unknown")
  const age = domainAgeDays(domain, verification.verifiedAt)
  return {
    rbl: rbl?.checked.length ? (rbl.matched.length > 0 ? "listed" : "clear") : unanswered(rbl),
    web_presence: web?.site ?? unanswered(web),
    https: web ? yesNo(web.https) : unanswered(web),
    parked: web ? yesNo(web.parkedAt !== null) : unanswered(web),
    domain_age: age === null ? unanswered(registration) : age < NEW_DOMAIN_DAYS ? "new" : "established",
    gravatar: gravatar ? (gravatar.found === null ? "unknown" : gravatar.found ? "present" : "missing") : "skipped",
  }
}

function presentMailbox({ evidence: { mailbox }, verdict }: Verification) {
  return {
    smtp: verdict.smtpStatus === "skipped" ? "skipped" : verdict.status,
    smtp_status: verdict.smtpStatus,
    smtp_connection: mailbox?.session ? "established" : mailbox ? "failed" : "skipped",
    smtp_greeting: present(mailbox ? mailbox.session?.greeting != null : null),
    smtp_tls: mailbox?.session ? (mailbox.session.tls ? "used" : "not_offered") : "unknown",
    mailbox: verdict.reply?.class ?? "unknown",
    finding: verdict.finding ?? "none",
    sub_status: verdict.subStatus ?? "none",
    greylisting: yesNo(verdict.reply ? verdict.reply.class === "greylisted" : null),
    mailbox_full: yesNo(verdict.reply ? verdict.reply.class === "mailbox_full" : null),
    mailbox_disabled: yesNo(verdict.reply ? verdict.reply.class === "mailbox_disabled" : null),
    policy: verdict.reply?.reason ?? "none",
  }
}
