import type { Grade } from "../../../schema/vocabulary.ts"
import { worstListing } from "../lists/rbl.ts"
import type { Verification } from "./verification.ts"

/** Recommendations that follow from a verification. */
export interface Advice {
  /** Grade of variant B: with a plus from 95 points. */
  readonly gradeWithPlus: string
  readonly band: "excellent" | "good" | "fair" | "poor" | "bad"
  readonly recommendation: "send" | "send_with_caution" | "retry_later" | "do_not_send"
  readonly primaryRisk: string | null
  readonly emailType: "disposable" | "relay" | "role" | "free" | "government" | "education" | "corporate" | "unknown"
}

const BANDS: Readonly<Record<Grade, Advice["band"]>> = { A: "excellent", B: "good", C: "fair", D: "poor", F: "bad" }
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

export function advise(verification: Verification): Advice {
  const { score } = verification
  return {
    gradeWithPlus: score.total >= 95 ? `${score.grade}+` : score.grade,
    band: BANDS[score.grade],
    recommendation: recommend(verification),
    primaryRisk: primaryRisk(verification),
    emailType: emailType(verification),
  }
}

function recommend(verification: Verification): Advice["recommendation"] {
  const { canSend, verdict, score } = verification
  if (canSend) return score.total >= 75 ? "send" : "send_with_caution"
  return isHopeless(verification) || verdict.status !== "unknown" || !RETRY_LATER.has(verdict.finding)
    ? "do_not_send"
    : "retry_later"
}

/** Whether no later answer of the mail server can make the address sendable. */
function isHopeless({ isSuppressed, evidence }: Verification): boolean {
  return isSuppressed || evidence.lists.isDisposable
}

/** The first risk that holds, in the order of docs/verdicts.md. */
function primaryRisk({ isSuppressed, verdict, evidence }: Verification): string | null {
  if (isSuppressed) return "suppressed"
  if (verdict.status === "invalid" || verdict.status === "invalid_syntax") return verdict.finding
  if (evidence.lists.isDisposable) return "disposable"
  const blocklist = evidence.domain?.rbl && worstListing(evidence.domain.rbl)
  if (blocklist) return `blocklisted:${blocklist}`
  if (verdict.finding) return verdict.finding
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
