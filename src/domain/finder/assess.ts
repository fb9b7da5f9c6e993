import type { SmtpStatus } from "../../../schema/vocabulary.ts"
import type { Format } from "./formats.ts"
import type { DomainFormats } from "./learned-formats.ts"
import { type Candidate, ownershipOf } from "./ownership.ts"

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
  /** The most likely format of the local part. */
  readonly format: Format
  /** Probability that it is the person's own address. */
  readonly confidence: number
  readonly isVerified: boolean
  readonly smtpStatus: SmtpStatus
  readonly basis: Basis
}

/** What a confidence depends on. */
export interface Basis {
  /** Expected share of the domain's addresses in the candidate's format. */
  readonly formatShare: number
  /** Share of people whose names make the same local part in this format. */
  readonly nameCommonness: number
  /** Median of the possible numbers of people. */
  readonly companySize: number
  /** Expected number of colleagues whose names make the same local part, at a company of that size. */
  readonly expectedNamesakes: number
  /** Null when unknown, as behind a catch-all. */
  readonly exists: boolean | null
  /** Null when not checked, or without an answer. */
  readonly hasGravatar: boolean | null
}

export const NOT_PROBED: Finding = { smtpStatus: "skipped", isVerified: false, isMissing: false, hasGravatar: null }

/** Maximum confidence with and without a server's confirmation. A server may confirm a mailbox in error. */
const MOST = { verified: 0.98, unverified: 0.9 }

/** Returns the candidates by the probability that each is the person's own address. */
export function assessCandidates(
  candidates: readonly Candidate[],
  { findings, domain, people }: { findings: readonly Finding[]; domain: DomainFormats; people: number },
): AssessedCandidate[] {
  const known = candidates.map((_, at) => findings[at] ?? NOT_PROBED)
  const signs = known.map((finding) => ({ exists: existsBy(finding), hasGravatar: finding.hasGravatar }))
  const owned = ownershipOf(candidates, { signs, companies: domain.companies })
  const shares = new Map(domain.formats.map(({ format, confidence }) => [format, confidence]))
  return candidates
    .map(({ localPart, ways }, at): AssessedCandidate => {
      const { smtpStatus, isVerified } = known[at]!
      const { format, commonness } = ways[0]!
      const confidence = Math.min(isVerified ? MOST.verified : MOST.unverified, owned[at]!)
      const basis = {
        formatShare: shares.get(format)!,
        nameCommonness: commonness,
        companySize: people,
        expectedNamesakes: (people - 1) * commonness,
        ...signs[at]!,
      }
      return { localPart, format, confidence, isVerified, smtpStatus, basis }
    })
    .toSorted((a, b) => b.confidence - a.confidence)
}

function existsBy({ isVerified, isMissing }: Finding): boolean | null {
  return isVerified ? true : isMissing ? false : null
}
