import { z } from "@hono/zod-openapi"
import { GRADES, STATUSES } from "../../../schema/vocabulary.ts"
import { mailHostsOf, operatorOf } from "../../domain/mail/operators.ts"
import { advise } from "../../domain/verdict/advice.ts"
import type { Verification } from "../../domain/verdict/verification.ts"

export const Summary = z
  .object({
    score: z.int().min(0).max(100),
    grade: z.enum(GRADES),
    can_send: z.boolean(),
    status: z.enum(STATUSES),
    primary_risk: z.string().nullable(),
  })
  .openapi("Summary")

export const NormalizedChecks = z
  .record(z.string(), z.string())
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

/** Variant C's map: one word for each check. */
export function presentNormalized(verification: Verification): z.infer<typeof NormalizedChecks> {
  const { evidence, verdict, cached, isSuppressed } = verification
  const { address, lists, domain } = evidence
  return {
    syntax: address.ok ? "valid" : "invalid",
    syntax_reason: address.ok ? "none" : address.reason,
    idn: yesNo(address.ok ? address.domain !== address.domainUnicode : null),
    mixed_script: yesNo(address.ok ? address.mixedScript : null),
    smtputf8: address.ok && address.needsSmtpUtf8 ? "needed" : "not_needed",
    domain: domain?.route.kind ?? "unknown",
    mx: domain ? (domain.route.kind === "mx" ? "valid" : "invalid") : "unknown",
    spf: present(domain?.spfValid),
    dkim: present(domain?.dkimPresent),
    dmarc: present(domain?.dmarcPresent),
    provider: operatorOf(mailHostsOf(domain?.route)[0]),
    ...presentMailbox(verification),
    catch_all: yesNo(verdict.isCatchAll),
    disposable: yesNo(lists.isDisposable),
    role_account: yesNo(lists.isRole),
    free_provider: yesNo(lists.isFree),
    corporate: yesNo(lists.isCorporate),
    subaddress: yesNo(lists.isSubaddress),
    suppression: isSuppressed ? "suppressed" : "clear",
    cache: cached ? "hit" : "miss",
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
