import type { Grade, Status } from "../../../schema/vocabulary.ts"
import { worstListing } from "../lists/rbl.ts"
import type { Verification } from "./verification.ts"

/** Recommendations that follow from a verification. */
export interface Advice {
  /** Grade of variant B: with a plus from 95 points. */
  readonly gradeWithPlus: string
  readonly band: "excellent" | "good" | "fair" | "poor" | "bad"
  readonly deliverability: "deliverable" | "undeliverable" | "risky" | "unknown"
  readonly recommendation: "send" | "send_with_caution" | "retry_later" | "do_not_send"
  readonly primaryRisk: string | null
  readonly emailType: "disposable" | "relay" | "role" | "free" | "government" | "education" | "corporate" | "unknown"
}

const BANDS: Readonly<Record<Grade, Advice["band"]>> = { A: "excellent", B: "good", C: "fair", D: "poor", F: "bad" }
const DELIVERABILITY: Readonly<Record<Status, Advice["deliverability"]>> = {
  valid: "deliverable",
  invalid: "undeliverable",
  invalid_syntax: "undeliverable",
  accept_all: "risky",
  unknown: "unknown",
}
const RETRY_LATER: ReadonlySet<Verification["verdict"]["finding"]> = new Set([
  "greylisted",
  "temporary_failure",
  "dns_failure",
  "unreachable",
  "throttled",
  "no_probe_node",
  "mailbox_full",
  "refused_probe",
])

/** Findings that leave open whether the mailbox exists. */
const CATCH_ALL: ReadonlySet<Verification["verdict"]["finding"]> = new Set([
  "catch_all",
  "catch_all_inconclusive",
  "unverifiable_operator",
])

export function advise(verification: Verification): Advice {
  const { score } = verification
  return {
    gradeWithPlus: score.total >= 95 ? `${score.grade}+` : score.grade,
    band: BANDS[score.grade],
    deliverability: deliverability(verification),
    recommendation: recommend(verification),
    primaryRisk: primaryRisk(verification),
    emailType: emailType(verification),
  }
}

/** Received mail shows that the mailbox exists. An accept-all or unclear answer of the server leaves that open. */
function deliverability({ verdict, reports }: Verification): Advice["deliverability"] {
  const isOpen = verdict.status === "accept_all" || (verdict.status === "unknown" && verdict.finding !== "mailbox_full")
  return reports.isReceived && isOpen ? "deliverable" : DELIVERABILITY[verdict.status]
}

function recommend(verification: Verification): Advice["recommendation"] {
  const { canSend, verdict, score } = verification
  if (canSend) return score.total >= 75 ? "send" : "send_with_caution"
  return isHopeless(verification) || verdict.status !== "unknown" || !RETRY_LATER.has(verdict.finding)
    ? "do_not_send"
    : "retry_later"
}

/** Whether no later answer of the mail server can make the address sendable. */
function isHopeless({ isSuppressed, reports, evidence }: Verification): boolean {
  return isSuppressed || reports.hasComplained || evidence.lists.isDisposable
}

/** The first risk that holds, in the order of docs/verdicts.md. */
function primaryRisk({ isSuppressed, reports, verdict, evidence }: Verification): string | null {
  if (reports.hasBounced) return "hard_bounce"
  if (reports.hasComplained) return "spam_complaint"
  if (isSuppressed) return "suppressed"
  if (verdict.status === "invalid" || verdict.status === "invalid_syntax") return verdict.finding
  if (evidence.lists.isDisposable) return "disposable"
  const blocklist = evidence.domain?.rbl && worstListing(evidence.domain.rbl)
  if (blocklist) return `blocklisted:${blocklist}`
  const isDoubted = verdict.finding !== null && !(reports.isReceived && CATCH_ALL.has(verdict.finding))
  if (isDoubted) return verdict.finding
  if (evidence.lists.isRole) return "role_account"
  return evidence.lists.isRelay ? "relay_address" : null
}

function emailType({ evidence: { address, lists } }: Verification): Advice["emailType"] {
  if (!address.ok) return "unknown"
  if (lists.isDisposable) return "disposable"
  if (lists.isRelay) return "relay"
  if (lists.isRole) return "role"
  if (lists.isFree) return "free"
  if (lists.isGovernment) return "government"
  return lists.isEducation ? "education" : "corporate"
}
