import type { SmtpStatus } from "../../../schema/vocabulary.ts"
import type { Format } from "./formats.ts"
import type { Candidate } from "./rank-candidates.ts"

/** What was found out about one candidate. */
export interface Finding {
  readonly smtpStatus: SmtpStatus
  /** The server took it and refused a random one, now or in an earlier verification. */
  readonly isVerified: boolean
  /** The server or an earlier verification says there is no such mailbox. */
  readonly isMissing: boolean
  /** Null: not asked or not answered. */
  readonly hasGravatar: boolean | null
}

export interface Appraised {
  readonly localPart: string
  readonly format: Format
  /** 0 to 1. */
  readonly confidence: number
  readonly isVerified: boolean
  readonly smtpStatus: SmtpStatus
}

export const NOT_ASKED: Finding = { smtpStatus: "skipped", isVerified: false, isMissing: false, hasGravatar: null }

const VERIFIED = 0.98
/** Nothing that no server confirmed is surer than this. */
const MOST_UNVERIFIED = 0.9
/** How much likelier a picture makes that somebody uses the address, and its absence the contrary. */
const GRAVATAR_ODDS = { found: 12, missing: 0.92 }

/**
 * The candidates with how sure each is, the surest first. Those the server denies lose their share to the others and to
 * the chance that the person's address follows none of the formats, or that there is none.
 */
export function appraise(candidates: readonly Candidate[], findings: readonly Finding[]): Appraised[] {
  const weighed = candidates.map((candidate, at) => {
    const finding = findings[at] ?? NOT_ASKED
    const { hasGravatar, isMissing } = finding
    const odds = hasGravatar === null ? 1 : hasGravatar ? GRAVATAR_ODDS.found : GRAVATAR_ODDS.missing
    return { candidate, finding, weight: isMissing ? 0 : candidate.probability * odds }
  })
  const denied = candidates.reduce((sum, { probability }, at) => sum + (findings[at]?.isMissing ? probability : 0), 0)
  const shown = candidates.reduce((sum, { probability }) => sum + probability, 0)
  const elsewhere = Math.max(0.02, 1 - shown) + denied * DENIED_TO_NOBODY
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0) + elsewhere
  return weighed
    .map(({ candidate: { localPart, format }, finding: { isVerified, smtpStatus }, weight }): Appraised => {
      const confidence = isVerified ? VERIFIED : Math.min(MOST_UNVERIFIED, weight / total)
      return { localPart, format, confidence, isVerified, smtpStatus }
    })
    .toSorted((a, b) => b.confidence - a.confidence)
}

/** Of the share of a denied candidate, what goes to "this person has no address here". */
const DENIED_TO_NOBODY = 0.6
