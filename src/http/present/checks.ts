import { z } from "@hono/zod-openapi"
import { GRADES, SMTP_STATUSES, STATUSES } from "../../../schema/vocabulary.ts"
import { patternOf } from "../../domain/address/pattern.ts"
import { shownEmail } from "../../domain/address/shown-email.ts"
import { mailHostsOf, operatorOf } from "../../domain/mail/operators.ts"
import { DAY_MS } from "../../domain/time.ts"
import { hasLiveMx } from "../../domain/verdict/domain-facts.ts"
import type { Verification } from "../../domain/verdict/verification.ts"
import { iso } from "./iso.ts"

const points = (min: number, max: number) => z.int().min(min).max(max)

export const ScoreBreakdown = z
  .object({
    base: points(50, 50),
    smtp_bonus: points(0, 30),
    mx_bonus: points(0, 10),
    rbl_penalty: points(-30, 0),
    disposable_penalty: points(-40, 0),
    role_penalty: points(-10, 0),
    ml_adjustment: points(-20, 20),
    received_bonus: points(0, 25).openapi({ description: "25 when mail from the address has been received" }),
  })
  .openapi("ScoreBreakdown", { description: "The points that add up to the score before it is capped" })

/** Variant A of the interface. Fields are always present; null only where the type says so. */
export const Checks = z
  .object({
    email: z.string().openapi({ description: "Normalized address; as given when it is malformed" }),
    deliverable: z.boolean().openapi({ description: "The mail server accepted the recipient" }),
    can_send: z.boolean(),
    status: z.enum(STATUSES),
    score: points(0, 100),
    grade: z.enum(GRADES),
    score_breakdown: ScoreBreakdown,
    is_catch_all: z.boolean().openapi({ description: "False also where it could not be settled" }),
    is_role_account: z.boolean(),
    is_disposable: z.boolean(),
    is_free_provider: z.boolean(),
    is_subaddress: z.boolean(),
    is_corporate: z.boolean(),
    is_relay: z.boolean().openapi({ description: "An alias that forwards to a lasting mailbox" }),
    is_government: z.boolean(),
    is_education: z.boolean(),
    mx_valid: z.boolean(),
    mx_records: z.array(z.string()),
    spf_valid: z.boolean(),
    dkim_present: z.boolean(),
    smtp_verified: z.boolean(),
    smtp_status: z.enum(SMTP_STATUSES),
    smtp_response_code: z.int().openapi({ description: "The deciding SMTP reply's code; 0 when there was none" }),
    smtp_banner: z.string(),
    rbl_listed: z.boolean(),
    rbl_lists_checked: z.int(),
    breach_found: z.boolean().nullable().openapi({ description: "Null when not asked for or not answerable" }),
    domain: z.string(),
    provider: z.string().openapi({ description: "The mail operator, by its MX hosts" }),
    tld: z.string(),
    cached: z.boolean(),
    next_check_at: z.iso
      .datetime()
      .nullable()
      .openapi({ description: 'When a server that said "later" is asked again' }),
    verified_at: z.iso.datetime(),
    local_part: z.string(),
    syntax_valid: z.boolean(),
    smtp_connect_ms: z.int(),
    smtp_total_ms: z.int(),
    ml_score: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .openapi({ description: "With enrich=true: the model's probability that mail arrives" }),
    pattern_match: z.string(),
    domain_age_days: z.int().nullable(),
    breach_count: z.int().nullable(),
    rbl_lists_matched: z.array(z.string()),
  })
  .openapi("Checks", { description: "The result of a verification, variant A" })

export function presentBreakdown({
  score: { breakdown },
}: Pick<Verification, "score">): z.infer<typeof ScoreBreakdown> {
  return {
    base: breakdown.base,
    smtp_bonus: breakdown.smtpBonus,
    mx_bonus: breakdown.mxBonus,
    rbl_penalty: breakdown.rblPenalty,
    disposable_penalty: breakdown.disposablePenalty,
    role_penalty: breakdown.rolePenalty,
    ml_adjustment: breakdown.mlAdjustment,
    received_bonus: breakdown.receivedBonus,
  }
}

export function presentChecks(verification: Verification): z.infer<typeof Checks> {
  const { evidence, verdict, score, canSend, cached, verifiedAt, breach } = verification
  const { address, lists } = evidence
  return {
    email: shownEmail(address),
    deliverable: verdict.smtpStatus === "accepted",
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
    ...presentDomain(verification),
    ...presentSmtp(verification),
    ...presentRbl(verification),
    breach_found: breach?.found ?? null,
    breach_count: breach?.count ?? null,
    ml_score: mlScore(verification),
    domain_age_days: domainAgeDays(verification),
    cached,
    next_check_at: iso(evidence.nextCheckAt),
    verified_at: iso(verifiedAt),
    local_part: address.ok ? address.local : "",
    syntax_valid: address.ok,
    pattern_match: address.ok ? patternOf(address.local) : "",
  }
}

/** Four digits say more than any model knows. */
export function mlScore({ prediction }: Pick<Verification, "prediction">): number | null {
  return prediction ? Math.round(prediction.probability * 1e4) / 1e4 : null
}

function presentDomain({ evidence: { address, domain, mailbox } }: Verification) {
  const mxHosts = mailHostsOf(domain?.route)
  return {
    domain: address.ok ? address.domain : "",
    tld: address.ok ? address.tld : "",
    provider: operatorOf(mailbox?.session?.mxHost ?? mxHosts[0]),
    mx_valid: domain !== null && hasLiveMx(domain),
    mx_records: mxHosts,
    spf_valid: domain?.spf?.kind === "valid",
    dkim_present: domain?.dkim?.present === true,
  }
}

function presentRbl({ evidence: { domain } }: Verification) {
  const { checked = [], matched = [] } = domain?.rbl ?? {}
  return { rbl_listed: matched.length > 0, rbl_lists_checked: checked.length, rbl_lists_matched: [...matched] }
}

/** Whole days from registration to verification; null where the registry does not say. */
export function domainAgeDays({ evidence: { domain }, verifiedAt }: Verification): number | null {
  const registration = domain?.registration
  if (registration?.kind !== "registered") return null
  return Math.max(0, Math.floor((verifiedAt - registration.at) / DAY_MS))
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
