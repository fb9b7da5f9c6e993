import type { ReplyClass, SmtpStatus, Status, SubStatus } from "../../../schema/vocabulary.ts"
import type { RecipientOutcome } from "../../../schema/wire/probe.ts"
import { isUnroutable } from "../dns/hosts.ts"
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
  if (!probeProblem) return skipped("unknown", null, "not_probed")
  return probeProblem === "deadline" ? unconnected("timeout", "unreachable") : unconnected("error", "no_probe_node")
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
  if (reply.class === "accepted")
    return judgeAccepted(reply, acceptsEveryAddress(random), { isFree, ...policyOf(session?.mxHost) })
  const [status, subStatus, smtpStatus, finding] = NEGATIVE[reply.class]
  const isEarly = outcome.stage !== "rcpt" && (reply.class === "refuses_us" || reply.class === "relay_denied")
  return { status, subStatus, smtpStatus: isEarly ? "error" : smtpStatus, finding, isCatchAll: null, reply }
}

/** The verdict of each reply that accepts no recipient. */
const NEGATIVE: Readonly<Record<Exclude<ReplyClass, "accepted">, readonly [Status, SubStatus, SmtpStatus, Finding]>> = {
  mailbox_missing: ["invalid", "mailbox_not_found", "rejected", "mailbox_missing"],
  mailbox_disabled: ["invalid", "mailbox_not_found", "rejected", "mailbox_disabled"],
  mailbox_full: ["unknown", "greylisted", "rejected", "mailbox_full"],
  greylisted: ["unknown", "greylisted", "error", "greylisted"],
  temporary: ["unknown", "greylisted", "error", "temporary_failure"],
  refuses_us: ["unknown", "policy_rejection", "rejected", "refused_probe"],
  relay_denied: ["unknown", "policy_rejection", "rejected", "relay_denied"],
  protocol_error: ["unknown", "connection_failed", "error", "protocol_error"],
}

function judgeAccepted(
  reply: ReplyVerdict,
  acceptsAll: boolean | null,
  { isFree, neverCatchAll, unverifiable }: HostPolicy & { readonly isFree: boolean },
): Verdict {
  const isCatchAll = unverifiable || (neverCatchAll && isFree ? false : acceptsAll)
  const accepted = { isCatchAll, reply, smtpStatus: "accepted" } as const
  if (isCatchAll) {
    const finding = unverifiable ? "unverifiable_operator" : "catch_all"
    return { ...accepted, status: "accept_all", subStatus: "catch_all_address", finding }
  }
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
    outcome.kind === "failure" && outcome.failure === "blocked_address" && address !== null && isUnroutable(address)
  return attempts.length > 0 && attempts.every(isNowhere)
}

function judgeFailure({ failure }: Extract<RecipientOutcome, { kind: "failure" }>): Verdict {
  if (failure === "timeout" || failure === "deadline") return unconnected("timeout", "unreachable")
  if (failure === "protocol") return unconnected("error", "protocol_error")
  return unconnected("error", failure === "smtputf8_unsupported" || failure === "throttled" ? failure : "unreachable")
}

function unconnected(smtpStatus: SmtpStatus, finding: Finding): Verdict {
  return { status: "unknown", subStatus: "connection_failed", smtpStatus, finding, isCatchAll: null, reply: null }
}

function skipped(status: Status, subStatus: SubStatus | null, finding: Finding): Verdict {
  return { status, subStatus, finding, smtpStatus: "skipped", isCatchAll: null, reply: null }
}
