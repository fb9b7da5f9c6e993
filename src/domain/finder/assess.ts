import type { SmtpStatus } from "../../../schema/vocabulary.ts"
import type { Format } from "./formats.ts"
import type { Candidate } from "./rank-candidates.ts"

/** The facts about a candidate. */
export interface Finding {
  readonly smtpStatus: SmtpStatus
  /** The server accepted it and refused a random recipient, now or in an earlier verification. */
  readonly isVerified: boolean
  /** The server or an earlier verification reports a missing mailbox. */
  readonly isMissing: boolean
  /** Null when not checked, or without an answer. */
  readonly hasGravatar: boolean | null
}

export interface AssessedCandidate {
  readonly localPart: string
  readonly format: Format
  /** 0 to 1. */
  readonly confidence: number
  readonly isVerified: boolean
  readonly smtpStatus: SmtpStatus
}

export const NOT_PROBED: Finding = { smtpStatus: "skipped", isVerified: false, isMissing: false, hasGravatar: null }

const VERIFIED = 0.98
/** Maximum confidence without a server's confirmation. */
const MAX_UNVERIFIED = 0.9
/** Odds factors: a Gravatar makes a used address more likely, its absence slightly less likely. */
const GRAVATAR_ODDS = { found: 12, missing: 0.92 }

/**
 * Returns the candidates by confidence. The share of a denied candidate goes to the others, and to the chance that the
 * person has no address here or that its format is unknown.
 */
export function assessCandidates(candidates: readonly Candidate[], findings: readonly Finding[]): AssessedCandidate[] {
  const weighted = candidates.map((candidate, at) => {
    const finding = findings[at] ?? NOT_PROBED
    const { hasGravatar, isMissing } = finding
    const odds = hasGravatar === null ? 1 : hasGravatar ? GRAVATAR_ODDS.found : GRAVATAR_ODDS.missing
    return { candidate, finding, weight: isMissing ? 0 : candidate.probability * odds }
  })
  const denied = candidates.reduce((sum, { probability }, at) => sum + (findings[at]?.isMissing ? probability : 0), 0)
  const shown = candidates.reduce((sum, { probability }) => sum + probability, 0)
  const elsewhere = Math.max(0.02, 1 - shown) + denied * DENIED_TO_NO_ADDRESS
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0) + elsewhere
  return weighted
    .map(({ candidate: { localPart, format }, finding: { isVerified, smtpStatus }, weight }): AssessedCandidate => {
      const confidence = isVerified ? VERIFIED : Math.min(MAX_UNVERIFIED, weight / total)
      return { localPart, format, confidence, isVerified, smtpStatus }
    })
    .toSorted((a, b) => b.confidence - a.confidence)
}

/** Part of a denied candidate's share that goes to "this person has no address here". */
const DENIED_TO_NO_ADDRESS = 0.6
