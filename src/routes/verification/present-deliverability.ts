import { z } from "@hono/zod-openapi"
import { SUB_STATUSES } from "../../../schema/vocabulary.ts"
import { mailHostsOf, operatorOf } from "../../domain/smtp-reply/operators.ts"
import {
  DELIVERABILITY_STATUSES,
  nullReasons,
  presentBreakdown,
  presentChecks,
  presentPresence,
} from "../../domain/verification/checks.ts"
import { advise, type Verification } from "../../domain/verification/verification.ts"
import { repaired, suggestion } from "../../http/fields.ts"
import { Checks, NullReasons, Presence, PrimaryRisk } from "./checks.ts"
import { Enrichment } from "./present-enrichment.ts"
import { Explanation } from "./present-explanation.ts"

/** Variant B of the interface, with variant A under `checks`, so that clients of either read the same answer. */
export const Deliverability = z
  .object({
    email: z.string(),
    repaired: repaired(),
    status: z.enum(DELIVERABILITY_STATUSES),
    sub_status: z.enum(SUB_STATUSES).nullable(),
    confidence_score: z.int().min(0).max(100),
    deliverability: z.enum(["deliverable", "undeliverable", "risky", "unknown"]),
    deliverability_score: z.object({
      score: z.int().min(0).max(100),
      grade: z.string().openapi({ example: "A" }),
      band: z.enum(["excellent", "good", "fair", "poor", "bad"]),
      can_send: z.boolean(),
      recommendation: z.enum(["send", "send_with_caution", "retry_later", "do_not_send"]),
      primary_risk: PrimaryRisk,
      email_type: z.enum(["disposable", "relay", "role", "free", "government", "education", "corporate", "unknown"]),
      breakdown: z.record(z.string(), z.int()),
    }),
    account: z.string().openapi({ description: "Local part" }),
    domain: z.string(),
    mx_found: z.boolean(),
    mx_records: z.array(z.string()),
    smtp_provider: z.string(),
    smtp_response_code: z.string().openapi({ description: "Empty when there was no reply", example: "250" }),
    catch_all: z.boolean(),
    is_disposable: z.boolean(),
    is_role: z.boolean(),
    is_free: z.boolean(),
    did_you_mean: suggestion(),
    ...Presence,
    null_reasons: NullReasons,
    checks: Checks,
    enrichment: Enrichment.optional().openapi({ description: "With enrich=true" }),
    explanation: Explanation.optional().openapi({ description: "With explain=true" }),
  })
  .openapi("Deliverability", { description: "The result of a verification, variant B" })

export function presentDeliverability(verification: Verification): z.infer<typeof Deliverability> {
  const { evidence, verdict, score, canSend } = verification
  const { address, lists, domain, mailbox } = evidence
  const mxHosts = mailHostsOf(domain?.route)
  const checks = presentChecks(verification)
  const { gradeWithPlus, band, deliverability, recommendation, primaryRisk, emailType } = advise(verification)
  const presence = presentPresence(verification)
  return {
    email: checks.email,
    repaired: checks.repaired,
    status: verdict.status === "invalid_syntax" ? "invalid" : verdict.status,
    sub_status: verdict.subStatus,
    confidence_score: score.total,
    deliverability,
    deliverability_score: {
      score: score.total,
      grade: gradeWithPlus,
      band,
      can_send: canSend,
      recommendation,
      primary_risk: primaryRisk,
      email_type: emailType,
      breakdown: presentBreakdown(verification),
    },
    account: address.ok ? address.local : "",
    domain: address.ok ? address.domain : "",
    mx_found: mxHosts.length > 0,
    mx_records: mxHosts,
    smtp_provider: operatorOf(mailbox?.session?.mxHost ?? mxHosts[0]),
    smtp_response_code: mailbox?.outcome.kind === "reply" ? String(mailbox.outcome.reply.code) : "",
    catch_all: verdict.isCatchAll === true,
    is_disposable: lists.isDisposable,
    is_role: lists.isRole,
    is_free: lists.isFree,
    did_you_mean: checks.did_you_mean,
    ...presence,
    null_reasons: nullReasons({ sub_status: verdict.subStatus, ...presence }, verification),
    checks,
  }
}
