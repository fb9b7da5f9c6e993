import type { Grade, Status } from "../../../schema/vocabulary.ts"
import type { ParsedAddress } from "../address/parse.ts"
import { estimateMailbox, type Resolution } from "../learning/catch-all.ts"
import type { Prediction } from "../learning/model.ts"
import { classifyByHosts } from "../reference/classify-by-hosts.ts"
import { worstListing } from "../reference/rbl.ts"
import { mailHostsOf } from "../smtp-reply/operators.ts"
import { type AccountFlags, type AccountReports, NO_REPORTS } from "../suppression/flags.ts"
import { type Evidence, forCurrentSpelling, type StoredEvidence } from "./evidence.ts"
import { classifyReplies, type Judged, judge, judgeBounced } from "./judge.ts"
import { adjustmentOf, confirmReceived, type Score, score, sumUp } from "./score.ts"
import { allowsSending, maySend } from "./send-decision.ts"

/** The internal result of a verification. The three response forms of the API present it. */
export interface Verification extends Judged {
  /** How likely an accept-all mailbox exists, by the active classifier. Null for any other status. Never stored. */
  readonly catchAll: Resolution | null
  readonly score: Score
  readonly canSend: boolean
  readonly isSuppressed: boolean
  /** What the account's own mail showed. */
  readonly reports: AccountReports
  /** Missing: not requested. */
  readonly breach?: BreachResult
  /** Prediction of the model. Missing: not requested. */
  readonly prediction?: Prediction
  /** How likely the mailbox is in use, 0 to 100. Missing: not requested. Null: unknown. */
  readonly activityScore?: number | null
  /** Served from the store: not counted and not billed. */
  readonly cached: boolean
}

/** Judges and scores evidence. Needs no network, so that newer rules can re-score stored evidence. */
export function assess(found: Evidence, context: Pick<Verification, "cached" | "verifiedAt">): Verification {
  const { address, lists, domain } = found
  // The domain's mail hosts confirm or overrule the lists.
  const evidence = domain ? { ...found, lists: classifyByHosts(address, mailHostsOf(domain.route), lists) } : found
  const replies = classifyReplies(evidence)
  const verdict = judge(evidence, replies)
  const judged = { evidence, replies, verdict, ...context }
  const catchAll = verdict.status === "accept_all" ? (estimateMailbox(judged)?.resolution ?? null) : null
  const points = score(evidence, verdict, catchAll?.probability ?? null)
  const flags = { isSuppressed: false, reports: NO_REPORTS }
  return { ...judged, catchAll, score: points, ...flags, canSend: allowsSending(points.total, verdict) }
}

/** The part of a result that is counted. */
export function answerOf({ verdict, score, canSend, cached }: Verification) {
  return { status: verdict.status, score: score.total, canSend, cached }
}

/** Judges a stored result again: by the active rules and lists, and for the current spelling of the address. */
export function reassess(
  { evidence, verifiedAt }: { evidence: StoredEvidence; verifiedAt: number },
  address: ParsedAddress,
): Verification {
  return assess(forCurrentSpelling(evidence, address), { cached: true, verifiedAt })
}

/** The result for one account: its suppressions, and what its own mail showed. Never stored for other accounts. */
export function withAccountFlags(verification: Verification, flags: Omit<AccountFlags, "hidesUntil">): Verification {
  const { isSuppressed, isReceived, hasBounced, hasComplained } = flags
  const { breakdown } = verification.score
  const verdict = hasBounced ? judgeBounced(verification.verdict) : verification.verdict
  const points = isReceived ? confirmReceived(breakdown, verdict) : sumUp(breakdown, verdict)
  return {
    ...verification,
    verdict,
    score: points,
    isSuppressed,
    reports: { isReceived, hasBounced, hasComplained },
    canSend: maySend(allowsSending(points.total, verdict), flags),
  }
}

/** The result with a prediction, which moves the score. Before `withAccountFlags`. Never stored for other accounts. */
export function withPrediction(verification: Verification, prediction: Prediction): Verification {
  const { verdict, score } = verification
  const mlAdjustment = adjustmentOf(prediction.probability, score.breakdown, verdict)
  const points = sumUp({ ...score.breakdown, mlAdjustment }, verdict)
  return { ...verification, prediction, score: points, canSend: allowsSending(points.total, verdict) }
}

/** What a search of the breach sources found, or why it has no result. */
export type BreachResult = BreachFinding | "not_configured" | "no_answer"

/** Whether an address is in known breaches, and in how many. */
export interface BreachFinding {
  readonly found: boolean
  readonly count: number
}

interface Advice {
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
  const { total, grade } = verification.score
  return {
    gradeWithPlus: total >= 95 ? `${grade}+` : grade,
    band: BANDS[grade],
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
  const { canSend, verdict, score, isSuppressed, reports, evidence } = verification
  if (canSend) return score.total >= 75 ? "send" : "send_with_caution"
  // Then no later answer of the mail server can make the address sendable.
  const isBlocked = isSuppressed || reports.hasComplained || evidence.lists.isDisposable
  return !isBlocked && verdict.status === "unknown" && RETRY_LATER.has(verdict.finding) ? "retry_later" : "do_not_send"
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
