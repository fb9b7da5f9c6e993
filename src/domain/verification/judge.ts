import type { SmtpStatus, Status, SubStatus } from "../../../schema/vocabulary.ts"
import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import { leadsNowhere } from "../dns/hosts.ts"
import { classifyOutcome, type ReplyVerdict } from "../smtp-reply/classify-reply.ts"
import { type HostPolicy, policyOf } from "../smtp-reply/playbooks.ts"
import type { Evidence, MailboxEvidence, MailRoute } from "./evidence.ts"

/** The detail behind a status. The first one that is a risk becomes `primary_risk`. */
type Finding =
  | "malformed"
  | "no_mail_host"
  | "null_mx"
  | "dns_failure"
  | "mailbox_missing"
  | "mailbox_disabled"
  | "mailbox_full"
  | "hard_bounce"
  | "catch_all"
  | "catch_all_inconclusive"
  | "unverifiable_operator"
  | "greylisted"
  | "temporary_failure"
  | "refused_probe"
  | "relay_denied"
  | "protocol_error"
  | "unreachable"
  | "throttled"
  | "smtputf8_unsupported"
  | "no_probe_node"
  | "not_probed"

export interface Verdict {
  readonly status: Status
  readonly subStatus: SubStatus | null
  readonly smtpStatus: SmtpStatus
  /** Null without a conclusive catch-all probe. */
  readonly isCatchAll: boolean | null
  readonly finding: Finding | null
  /** Classification of the deciding reply; null without a reply. */
  readonly reply: ReplyVerdict | null
}

/** What the replies of a mail server mean, by the active rules. Null without a reply. */
export interface MailboxReplies {
  readonly recipient: ReplyVerdict | null
  readonly random: ReplyVerdict | null
}

/** Evidence with its verdict, before it has a score. */
export interface Judged {
  readonly evidence: Evidence
  /** What the mail server's replies mean, by the active rules. Never stored. */
  readonly replies: MailboxReplies
  readonly verdict: Verdict
  /** Unix milliseconds. */
  readonly verifiedAt: number
}

/** Classifies the replies about a mailbox and about the random recipient, once for all their readers. */
export function classifyReplies({ mailbox }: Pick<Evidence, "mailbox">): MailboxReplies {
  if (!mailbox) return { recipient: null, random: null }
  const { outcome, control, session } = mailbox
  return { recipient: classifyOutcome(outcome, session), random: classifyOutcome(control, session) }
}

/** The verdict table of docs/verdicts.md. An address is invalid only with evidence about that address. */
export function judge(evidence: Evidence, replies: MailboxReplies = classifyReplies(evidence)): Verdict {
  const { address, lists, domain, mailbox, probeProblem } = evidence
  if (!address.ok) return skipped("invalid_syntax", "invalid_format", "malformed")
  const decidedByRoute = domain && judgeRoute(domain.route)
  if (decidedByRoute) return decidedByRoute
  if (mailbox) return judgeMailbox(mailbox, replies, lists.isFree)
  return judgeUnprobed(probeProblem)
}

/** The verdict for an account that reported a hard bounce: its own mail proved more than a probe can. */
export function judgeBounced(verdict: Verdict): Verdict {
  if (verdict.status === "invalid" || verdict.status === "invalid_syntax") return verdict
  return { ...verdict, status: "invalid", subStatus: "mailbox_not_found", finding: "hard_bounce" }
}

/** Whether the mail server accepted the recipient and the account reported no hard bounce. */
export function isDeliverable({ smtpStatus, status }: Pick<Verdict, "smtpStatus" | "status">): boolean {
  return smtpStatus === "accepted" && status !== "invalid"
}

function judgeUnprobed(problem: Evidence["probeProblem"]): Verdict {
  if (!problem) return skipped("unknown", null, "not_probed")
  const failed = { status: "unknown", subStatus: "connection_failed", isCatchAll: null, reply: null } as const
  return problem === "deadline"
    ? { ...failed, smtpStatus: "timeout", finding: "unreachable" }
    : { ...failed, smtpStatus: "error", finding: "no_probe_node" }
}

function judgeRoute(route: MailRoute): Verdict | null {
  switch (route.kind) {
    case "mx":
    case "implicit_mx":
      return null
    case "null_mx":
      return skipped("invalid", "domain_not_found", "null_mx")
    case "no_such_domain":
    case "no_mail_host":
      return skipped("invalid", "domain_not_found", "no_mail_host")
    case "dns_failure":
      return skipped("unknown", "connection_failed", "dns_failure")
  }
}

function judgeMailbox(
  { outcome, session, attempts }: MailboxEvidence,
  { recipient, random }: MailboxReplies,
  isFree: boolean,
): Verdict {
  if (outcome.kind === "failure")
    return haveNoMailHost(attempts) ? skipped("invalid", "domain_not_found", "no_mail_host") : judgeFailure(outcome)
  const reply = recipient!
  const negative = { isCatchAll: null, reply, smtpStatus: "rejected" } as const
  switch (reply.class) {
    case "accepted":
      return judgeAccepted(reply, acceptsEveryAddress(random), { isFree, ...policyOf(session?.mxHost) })
    case "mailbox_missing":
    case "mailbox_disabled":
      return { ...negative, status: "invalid", subStatus: "mailbox_not_found", finding: reply.class }
    case "mailbox_full":
      return { ...negative, status: "unknown", subStatus: "greylisted", finding: "mailbox_full" }
    case "greylisted":
    case "temporary": {
      const finding = reply.class === "greylisted" ? "greylisted" : "temporary_failure"
      return { ...negative, status: "unknown", subStatus: "greylisted", smtpStatus: "error", finding }
    }
    case "refuses_us":
    case "relay_denied": {
      const finding = reply.class === "relay_denied" ? "relay_denied" : "refused_probe"
      const smtpStatus = outcome.stage === "rcpt" ? "rejected" : "error"
      return { ...negative, status: "unknown", subStatus: "policy_rejection", smtpStatus, finding }
    }
    case "protocol_error":
      return {
        ...negative,
        status: "unknown",
        subStatus: "connection_failed",
        smtpStatus: "error",
        finding: "protocol_error",
      }
  }
}

function judgeAccepted(
  reply: ReplyVerdict,
  takesAll: boolean | null,
  { isFree, neverCatchAll, unverifiable }: HostPolicy & { readonly isFree: boolean },
): Verdict {
  const isCatchAll = unverifiable || (neverCatchAll && isFree ? false : takesAll)
  const accepted = { isCatchAll, reply, smtpStatus: "accepted" } as const
  if (unverifiable)
    return { ...accepted, status: "accept_all", subStatus: "catch_all_address", finding: "unverifiable_operator" }
  if (isCatchAll) return { ...accepted, status: "accept_all", subStatus: "catch_all_address", finding: "catch_all" }
  const finding = isCatchAll === null ? "catch_all_inconclusive" : null
  return { ...accepted, status: "valid", subStatus: "mailbox_verified", finding }
}

/** Whether a domain accepts every address. Only a reply about the random recipient itself decides; else null. */
export function acceptsEveryAddress(random: ReplyVerdict | null): boolean | null {
  if (random?.class === "accepted") return true
  return random?.class === "mailbox_missing" || random?.class === "mailbox_disabled" ? false : null
}

/** Each host of the route has only addresses where no mail can arrive, and the node dials none of them. */
function haveNoMailHost(attempts: MailboxEvidence["attempts"]): boolean {
  const isNowhere = ({ address, outcome }: MailboxEvidence["attempts"][number]) =>
    outcome.kind === "failure" && outcome.failure === "blocked_address" && address !== null && leadsNowhere(address)
  return attempts.length > 0 && attempts.every(isNowhere)
}

function judgeFailure({ failure }: Extract<RecipientOutcome, { kind: "failure" }>): Verdict {
  const unknown = { status: "unknown", subStatus: "connection_failed", isCatchAll: null, reply: null } as const
  if (failure === "timeout" || failure === "deadline")
    return { ...unknown, smtpStatus: "timeout", finding: "unreachable" }
  if (failure === "protocol") return { ...unknown, smtpStatus: "error", finding: "protocol_error" }
  if (failure === "smtputf8_unsupported" || failure === "throttled")
    return { ...unknown, smtpStatus: "error", finding: failure }
  return { ...unknown, smtpStatus: "error", finding: "unreachable" }
}

function skipped(status: Status, subStatus: SubStatus | null, finding: Finding): Verdict {
  return { status, subStatus, finding, smtpStatus: "skipped", isCatchAll: null, reply: null }
}
