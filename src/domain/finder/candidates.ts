import type { SmtpStatus } from "../../../schema/vocabulary.ts"
import type { DomainFormats, FormatEvidence } from "./domain-formats.ts"
import { type Format, fieldsOf, type Rendered, render } from "./formats.ts"
import { shareOf, shareOfPrefix } from "./name-frequency.ts"
import type { NameSpelling } from "./name-variants.ts"
import type { PossibleCompany } from "./possible-companies.ts"

/** Later candidates are too unlikely for a probe. */
const MAX_CANDIDATES = 20
/** Candidates whose namesakes are estimated. */
const MAX_RATED = 40

/**
 * Returns the possible local parts of a person at a domain, the most likely first. Without a server's answer, the order
 * is by format, spelling and namesakes.
 */
export function rankCandidates(
  spellings: readonly NameSpelling[],
  { formats, companies }: { formats: readonly FormatEvidence[]; companies: readonly PossibleCompany[] },
): Candidate[] {
  const found = new Map<string, { ways: (Way & { weight: number })[]; weight: number }>()
  for (const { format, confidence } of formats)
    for (const rendered of render(format, spellings)) {
      const weight = confidence * rendered.share
      const way = { format, spelling: rendered.share, commonness: commonnessOf(format, rendered), weight }
      const before = found.get(rendered.local) ?? { ways: [], weight: 0 }
      found.set(rendered.local, { ways: [...before.ways, way], weight: before.weight + weight })
    }
  const likely = [...found]
    .toSorted(([, a], [, b]) => b.weight - a.weight)
    .slice(0, MAX_RATED)
    .map(([localPart, { ways }]) => ({ localPart, ways: ways.toSorted((a, b) => b.weight - a.weight) }))
  const owned = ownershipOf(likely, { signs: [], companies })
  return likely
    .map((candidate, at) => ({ candidate, probability: owned[at]! }))
    .toSorted((a, b) => b.probability - a.probability)
    .slice(0, MAX_CANDIDATES)
    .map(({ candidate }) => candidate)
}

/** Returns the share of people whose names make the same local part. A first and a family name count as independent. */
function commonnessOf(format: Format, rendered: Rendered): number {
  return fieldsOf(format).reduce((share, { name, letters }) => {
    const text = rendered[name]
    const kind = name === "last" ? "last" : "first"
    const isWhole = letters === 0 || text.length < letters
    return share * (isWhole ? shareOf(text, kind) : shareOfPrefix(text.slice(0, letters), kind))
  }, 1)
}

/** A possible local part of a person. */
export interface Candidate {
  readonly localPart: string
  /** How the name makes it, the most likely format first. */
  readonly ways: readonly Way[]
}

/** A format that makes a local part from a name. */
interface Way {
  readonly format: Format
  /** Share of the name's spelling. */
  readonly spelling: number
  /** Share of people whose names make the same local part in this format. */
  readonly commonness: number
}

/** What is known about a candidate's mailbox. */
export interface MailboxSigns {
  /** A mail server confirms or denies the mailbox. Null when unknown, as behind a catch-all. */
  readonly exists: boolean | null
  /** Null when not checked, or without an answer. */
  readonly hasGravatar: boolean | null
}

export const NO_SIGNS: MailboxSigns = { exists: null, hasGravatar: null }

/** Share of the people asked about who have an address at the domain: contacts age, and companies have several domains. */
const HAS_ADDRESS = 0.6
/** Expected number of further mailboxes at any local part: aliases and mailboxes without a person. */
const STRAY_MAILBOXES = 0.002
/** More namesakes change no result. Limited, so that no product of twenty candidates underflows to zero. */
const MOST_NAMESAKES = 30
/** Odds factors: a Gravatar makes an existing mailbox more likely, its absence slightly less likely. */
const GRAVATAR_ODDS = { found: 12, missing: 0.92 }

/**
 * Returns for each candidate the probability that it is the person's own address.
 *
 * For one possible company of n people, a person has the local part a with probability p(a): the shares of the formats
 * that make it from the name. L(a) = (n - 1) · share of people whose name makes the same local part, the expected number
 * of namesakes. Local parts are unique and the first of k + 1 people has it, so the person has it with probability
 * E[1 / (k + 1)] = (1 - e^-L) / L. A mailbox exists at a without the person with probability 1 - e^-L. Each possible
 * company counts by how well it explains which mailboxes exist and which do not (Bayes' rule).
 */
export function ownershipOf(
  candidates: readonly Candidate[],
  { signs, companies }: { signs: readonly MailboxSigns[]; companies: readonly PossibleCompany[] },
): number[] {
  const owned = candidates.map(() => 0)
  let total = 0
  for (const company of companies) {
    const explained = explain(candidates, { signs, company })
    total += explained.total
    for (const [at, probability] of explained.owned.entries()) owned[at]! += probability
  }
  return owned.map((probability) => probability / total)
}

/** Joint probabilities of one possible company and the signs: in total, and with each candidate as the person's own. */
function explain(
  candidates: readonly Candidate[],
  { signs, company }: { signs: readonly MailboxSigns[]; company: PossibleCompany },
): { total: number; owned: number[] } {
  const rated = candidates.map((candidate, at) => rate(candidate, { signs: signs[at] ?? NO_SIGNS, company }))
  // The person has none of the candidates: each mailbox that exists is another's.
  const without = rated.reduce((product, { ifOthers }) => product * ifOthers, company.probability)
  const wanted = rated.reduce((sum, { intended }) => sum + intended, 0)
  const withIt = rated.map(({ intended, ifExists, ifOthers }) => (without * intended * ifExists) / ifOthers)
  const total = without * (1 - wanted) + withIt.reduce((sum, probability) => sum + probability, 0)
  return { total, owned: withIt.map((probability, at) => probability * rated[at]!.chanceFirst) }
}

function rate(
  { ways }: Candidate,
  { signs: { exists, hasGravatar }, company }: { signs: MailboxSigns; company: PossibleCompany },
) {
  let intended = 0
  let namesakes = 0
  for (const { format, spelling, commonness } of ways) {
    const share = company.shareOf(format)
    intended += HAS_ADDRESS * share * spelling
    namesakes += (company.people - 1) * share * commonness
  }
  namesakes = Math.min(MOST_NAMESAKES, namesakes)
  const chanceFirst = namesakes < 1e-9 ? 1 : -Math.expm1(-namesakes) / namesakes
  const chanceFree = Math.exp(-namesakes - STRAY_MAILBOXES)
  const gravatar = hasGravatar === null ? 1 : hasGravatar ? GRAVATAR_ODDS.found : GRAVATAR_ODDS.missing
  // The probability of the signs when the mailbox exists, and when it does not.
  const ifExists = exists === false ? 0 : gravatar
  const ifFree = exists === true ? 0 : 1
  return { intended, chanceFirst, ifExists, ifOthers: (1 - chanceFree) * ifExists + chanceFree * ifFree }
}

/** The facts about a candidate. */
export interface Finding extends Pick<MailboxSigns, "hasGravatar"> {
  readonly smtpStatus: SmtpStatus
  /** The server accepted it and refused a random recipient, now or in an earlier verification. */
  readonly isVerified: boolean
  /** The server or an earlier verification reports a missing mailbox. */
  readonly isMissing: boolean
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
interface Basis extends MailboxSigns {
  /** Expected share of the domain's addresses in the candidate's format. */
  readonly formatShare: number
  /** Share of people whose names make the same local part in this format. */
  readonly nameCommonness: number
  /** Median of the possible numbers of people. */
  readonly companySize: number
  /** Expected number of colleagues whose names make the same local part, at a company of that size. */
  readonly expectedNamesakes: number
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
  const signs = known.map(({ isVerified, isMissing, hasGravatar }) => ({
    exists: isVerified ? true : isMissing ? false : null,
    hasGravatar,
  }))
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
