import { parseAddress } from "../address/parse.ts"
import { classifyByHosts } from "../reference/classify-by-hosts.ts"
import { mailHostsOf } from "../smtp-reply/operators.ts"
import { DAY_MS } from "../time.ts"
import type { MailRoute } from "../verification/evidence.ts"
import { type Interval, wilson } from "../wilson.ts"
import { FORMATS, type Format, type FormatShares } from "./formats.ts"
import { expectedShares, type PossibleCompany, type PossibleSize, possibleCompanies } from "./possible-companies.ts"

/** The stored part of an address from which a format was learned. */
export interface LearnedSample {
  readonly shares: FormatShares
  readonly source: SampleSource
  /** Unix milliseconds. */
  readonly learnedAt: number
}

/** Origin of an address: confirmed by a server, sender of mail, in a customer's list, on a web page. */
export type SampleSource = "verified" | "received" | "uploaded" | "scraped"

/** Weight of each source. Uploaded lists contain unverified addresses. */
const WEIGHTS: Readonly<Record<SampleSource, number>> = { verified: 1, received: 1, scraped: 0.9, uploaded: 0.5 }
/** Formats change when companies merge, so a two-year-old address counts half. */
const HALF_LIFE_MS = 2 * 365 * DAY_MS
/** Iterations of the attribution, which converges quickly. The prior keeps it stable. */
const ROUNDS = 6

/** The evidence for a format at a domain. */
export interface FormatEvidence {
  readonly format: Format
  /** Decayed number of addresses. */
  readonly weight: number
  /** Estimated share of the domain's addresses with this format, including the prior for similar companies. */
  readonly confidence: number
  /** 95 % interval of the share among the known addresses, without the prior. */
  readonly interval: Interval
  /** Number of addresses that most likely have this format. */
  readonly samples: number
}

export interface DomainFormats {
  /** All formats, the most likely first. Includes formats without any address. */
  readonly formats: readonly FormatEvidence[]
  readonly sampleCount: number
  /** Decayed number of addresses. */
  readonly sampleWeight: number
  /** The companies that the addresses allow. */
  readonly companies: readonly PossibleCompany[]
}

/**
 * Estimates the formats of a domain from its addresses. An address with several possible formats counts for the format
 * of the domain's other addresses (expectation maximization).
 * @param now Unix milliseconds
 */
export function countFormats(
  samples: readonly LearnedSample[],
  { now, sizes, country }: { now: number; sizes: readonly PossibleSize[]; country: string | null },
): DomainFormats {
  const weighted = samples.map(({ shares, source, learnedAt }) => {
    const weight = WEIGHTS[source] * 0.5 ** (Math.max(0, now - learnedAt) / HALF_LIFE_MS)
    return { shares, weight }
  })
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0)
  let counts: Shares = new Map()
  let companies = possibleCompanies({ counts, total: 0 }, { sizes, country })
  for (let round = 0; round < ROUNDS; round++) {
    counts = attribute(weighted, expectedShares(companies))
    companies = possibleCompanies({ counts, total }, { sizes, country })
  }
  const confidence = expectedShares(companies)
  const likeliest = Map.groupBy(samples, ({ shares }) => formatsAt(shares, confidence)[0]?.[0])
  const formats = FORMATS.map((format): FormatEvidence => {
    const weight = counts.get(format) ?? 0
    const samples = likeliest.get(format)?.length ?? 0
    return { format, weight, confidence: confidence.get(format)!, interval: wilson(weight, total), samples }
  })
  return {
    formats: formats.toSorted((a, b) => b.confidence - a.confidence),
    sampleCount: samples.length,
    sampleWeight: total,
    companies,
  }
}

type Shares = ReadonlyMap<Format, number>

/** Gives the weight of each address to the formats that may have made it, by how common they are at the domain. */
function attribute(samples: readonly { shares: FormatShares; weight: number }[], common: Shares): Shares {
  const counts = new Map<Format, number>()
  for (const { shares, weight } of samples)
    for (const [format, share] of formatsAt(shares, common))
      counts.set(format, (counts.get(format) ?? 0) + weight * share)
  return counts
}

/**
 * Returns the formats that may have made an address, the most likely first.
 * @param shares probability of the local part by each format
 * @param common share of each format at the domain, or among companies
 * @returns probabilities that add up to one
 */
export function formatsAt(shares: FormatShares, common: Shares): (readonly [Format, number])[] {
  const joint = [...shares].map(([format, share]) => [format, share * (common.get(format) ?? 0)] as const)
  const total = joint.reduce((sum, [, weight]) => sum + weight, 0)
  if (total === 0) return []
  return joint.map(([format, weight]) => [format, weight / total] as const).toSorted(([, a], [, b]) => b - a)
}

/** Why a domain has no address formats: it accepts no mail, or its mailboxes belong to people of no one company. */
export const NO_FORMATS_REASONS = [
  "free_provider",
  "disposable",
  "relay",
  "no_such_domain",
  "null_mx",
  "no_mail_host",
] as const
export type NoFormatsReason = (typeof NO_FORMATS_REASONS)[number]

/**
 * Returns why the mailboxes of a domain do not belong to one company, by the lists and the mail route. Null for a
 * company. @param route missing: by the lists alone
 */
export function providerKind(domain: string, route?: MailRoute): NoFormatsReason | null {
  const { isFree, isDisposable, isRelay } = classifyByHosts(parseAddress(`a@${domain}`), mailHostsOf(route))
  if (isDisposable) return "disposable"
  if (isRelay) return "relay"
  return isFree ? "free_provider" : null
}

/** Returns why a domain accepts no mail. Null when it does, or when DNS gave no answer. */
export function refusesMail({ kind }: MailRoute): NoFormatsReason | null {
  return kind === "no_such_domain" || kind === "null_mx" || kind === "no_mail_host" ? kind : null
}
