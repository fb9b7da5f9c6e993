import { findOperator, mailHostsOf } from "../smtp-reply/operators.ts"
import type { MailRoute } from "../verification/evidence.ts"
import { FORMATS, type Format } from "./formats.ts"

/** A company as it may be: its size and its house format. */
export interface PossibleCompany {
  readonly people: number
  readonly probability: number
  /** Share of its addresses in a format. */
  shareOf(format: Format): number
}

/** Addresses for each format, and of all formats. Both may be fractional, as decayed counts are. */
interface FormatCounts {
  readonly counts: ReadonlyMap<Format, number>
  readonly total: number
}

/** Share of a company's addresses in its house format, before any of them is known. */
const IN_HOUSE_FORMAT = 0.8
/** Weight of that prior, in addresses. */
const PRIOR_STRENGTH = 4
/** Less likely companies change no result. */
const NEGLIGIBLE = 1e-5

/**
 * Returns the companies that the known addresses allow, by Bayes' rule: a size, a house format as usual for that size and
 * country, and the addresses. The shares of a company are those of a Dirichlet distribution around its house format, so
 * many known addresses outweigh it. @returns companies with probabilities that add up to one
 */
export function possibleCompanies(
  { counts, total }: FormatCounts,
  { sizes, country }: { sizes: readonly PossibleSize[]; country: string | null },
): PossibleCompany[] {
  const priors = new Map(sizes.map(({ size }) => [size, priorOf(size, country)]))
  const usual = blend(sizes, priors)
  const others = (format: Format) => (1 - IN_HOUSE_FORMAT) * usual.get(format)!
  const common = new Map(
    FORMATS.map((format) => {
      const seen = counts.get(format) ?? 0
      return [format, (seen + PRIOR_STRENGTH * others(format)) / (total + PRIOR_STRENGTH)]
    }),
  )
  const inHouse = (PRIOR_STRENGTH * IN_HOUSE_FORMAT) / (total + PRIOR_STRENGTH)
  const weighted = FORMATS.flatMap((house) => {
    const fit = (counts.get(house) ?? 0) * Math.log((IN_HOUSE_FORMAT + others(house)) / others(house))
    const shareOf = (format: Format) => common.get(format)! + (format === house ? inHouse : 0)
    return sizes.map(({ people, size, probability }) => {
      const weight = Math.log(probability * priors.get(size)!.get(house)!) + fit
      return { people, weight, shareOf }
    })
  })
  return toProbabilities(weighted)
}

/** Returns the expected share of each format. The sum is 1. */
export function expectedShares(companies: readonly PossibleCompany[]): ReadonlyMap<Format, number> {
  return new Map(
    FORMATS.map((format) => [
      format,
      companies.reduce((sum, { probability, shareOf }) => sum + probability * shareOf(format), 0),
    ]),
  )
}

function blend(
  sizes: readonly PossibleSize[],
  priors: ReadonlyMap<CompanySize, ReadonlyMap<Format, number>>,
): ReadonlyMap<Format, number> {
  return new Map(
    FORMATS.map((format) => [
      format,
      sizes.reduce((sum, { size, probability }) => sum + probability * priors.get(size)!.get(format)!, 0),
    ]),
  )
}

/** Turns natural logarithms of weights into probabilities. */
function toProbabilities<T extends { readonly weight: number }>(weighted: readonly T[]) {
  const highest = Math.max(...weighted.map(({ weight }) => weight))
  const scaled = weighted.map((one) => ({ ...one, probability: Math.exp(one.weight - highest) }))
  const likely = scaled.filter(({ probability }) => probability > NEGLIGIBLE)
  const total = likely.reduce((sum, { probability }) => sum + probability, 0)
  return likely.map((one) => ({ ...one, probability: one.probability / total }))
}

/** A possible size of a company. */
export interface PossibleSize {
  /** Number of people who have or had an address: servers often accept mail for people who left. */
  readonly people: number
  readonly size: CompanySize
  readonly probability: number
}

/**
 * The prior. Most companies are tiny, but half of all employees work at companies above 500 people, and callers look for
 * people. The last row covers all larger companies.
 */
const PRIOR: readonly PossibleSize[] = [
  { people: 5, size: "small", probability: 0.08 },
  { people: 25, size: "small", probability: 0.14 },
  { people: 100, size: "medium", probability: 0.18 },
  { people: 400, size: "medium", probability: 0.18 },
  { people: 1_500, size: "large", probability: 0.18 },
  { people: 5_000, size: "large", probability: 0.24 },
]

type Odds = Readonly<Record<CompanySize, number>>

/** How much more likely a company of each size is a customer of the operator. A gateway's customers are large. */
const BY_OPERATOR: Readonly<Record<string, Odds>> = {
  google: { small: 1.5, medium: 1, large: 0.5 },
  microsoft365: { small: 0.7, medium: 1.3, large: 1.2 },
}
const BEHIND_GATEWAY: Odds = { small: 0.1, medium: 0.7, large: 2 }
const UNKNOWN_OPERATOR: Odds = { small: 1, medium: 1, large: 1 }

/**
 * Estimates the size of a company by its mail operator and the number of its known people: a company has at least as
 * many. @param route undefined when unknown. @returns the possible sizes in ascending order, with probabilities that add up to one
 */
export function possibleSizes(knownPeople: number, route: MailRoute | undefined): PossibleSize[] {
  const operator = findOperator(mailHostsOf(route)[0])
  const odds = operator?.kind === "gateway" ? BEHIND_GATEWAY : (BY_OPERATOR[operator?.name ?? ""] ?? UNKNOWN_OPERATOR)
  const possible = PRIOR.filter(({ people }, at) => people >= knownPeople || at === PRIOR.length - 1)
  const total = possible.reduce((sum, { size, probability }) => sum + probability * odds[size], 0)
  return possible.map((one) => ({ ...one, probability: (one.probability * odds[one.size]) / total }))
}

/** Returns the median of the possible sizes. */
export function medianSize(sizes: readonly PossibleSize[]): PossibleSize {
  let upTo = 0
  for (const one of sizes) {
    upTo += one.probability
    if (upTo >= 0.5) return one
  }
  return sizes.at(-1)!
}

/** Estimated size of a company. */
export const COMPANY_SIZES = ["small", "medium", "large"] as const
export type CompanySize = (typeof COMPANY_SIZES)[number]

type Shares = Partial<Record<Format, number>>

/** Prior shares by size, as orders of magnitude. Small companies use first names, large ones full names. */
const BY_SIZE: Readonly<Record<CompanySize, Shares>> = {
  small: { "{first}": 0.48, "{first}.{last}": 0.18, "{f}{last}": 0.12, "{first}{last}": 0.06, "{first}{l}": 0.04 },
  medium: { "{first}.{last}": 0.32, "{f}{last}": 0.28, "{first}": 0.16, "{first}{last}": 0.06, "{first}{l}": 0.04 },
  large: { "{first}.{last}": 0.5, "{f}{last}": 0.24, "{first}_{last}": 0.05, "{first}": 0.02, "{f}.{last}": 0.04 },
}

/** Factors by country, relative to other countries. */
const BY_COUNTRY: Readonly<Record<string, Shares>> = {
  de: { "{first}": 0.5, "{first}.{last}": 1.6, "{f}.{last}": 2, "{last}": 2, "{f}{last}": 0.4 },
  at: { "{first}": 0.5, "{first}.{last}": 1.6, "{f}.{last}": 2, "{last}": 2, "{f}{last}": 0.4 },
  ch: { "{first}": 0.6, "{first}.{last}": 1.8, "{f}.{last}": 1.5, "{f}{last}": 0.5 },
  fr: { "{first}.{last}": 1.6, "{f}{last}": 1.1, "{f}.{last}": 1.8 },
  nl: { "{f}.{last}": 3, "{first}.{last}": 1.3 },
  be: { "{first}.{last}": 1.6, "{f}.{last}": 1.2 },
  it: { "{first}.{last}": 1.6, "{f}.{last}": 2 },
  es: { "{f}{last}": 1.4, "{first}.{last}": 1.2 },
  pt: { "{first}.{last}": 1.5 },
  br: { "{first}.{last}": 1.5, "{first}": 1.3 },
  pl: { "{first}.{last}": 1.5, "{f}.{last}": 2 },
  cz: { "{last}": 3, "{first}.{last}": 1.4 },
  sk: { "{last}": 2.5, "{first}.{last}": 1.4 },
  hu: { "{last}.{first}": 8, "{last}{first}": 2 },
  ru: { "{f}.{last}": 2.5, "{last}": 2, "{last}{f}": 2, "{first}.{last}": 0.8 },
  ua: { "{f}.{last}": 2.5, "{last}": 1.5, "{first}.{last}": 0.8 },
  se: { "{first}.{last}": 1.8, "{f}{last}": 0.4 },
  no: { "{first}.{last}": 1.6, "{first}": 1.2, "{f}{last}": 0.5 },
  dk: { "{f}{l}": 3, "{first}": 1.2, "{first}.{last}": 1.1 },
  fi: { "{first}.{last}": 2, "{f}{last}": 0.3 },
  jp: { "{last}": 4, "{f}-{last}": 10, "{last}.{first}": 5, "{f}.{last}": 2, "{first}.{last}": 0.8 },
  cn: { "{first}.{last}": 1, "{last}{first}": 6, "{first}{last}": 2, "{last}.{first}": 4 },
  kr: { "{first}.{last}": 1, "{f}{l}": 2, "{first}": 1.5 },
  vn: { "{first}{l}": 3, "{first}.{last}": 1.2 },
  in: { "{first}.{last}": 1.4, "{first}": 1.2, "{first}{l}": 1.5 },
}

/** Total share of the formats without a separate prior. A rarer format gets less of it. */
const REST = 0.12

/**
 * Returns the prior shares of all formats. Their sum is 1.
 * @param country of the ccTLD, or null
 */
export function priorOf(size: CompanySize, country: string | null): ReadonlyMap<Format, number> {
  const factors = BY_COUNTRY[country ?? ""] ?? {}
  const weights = FORMATS.map((format, rank) => {
    const base = BY_SIZE[size][format] ?? REST / (rank + 8)
    return [format, base * (factors[format] ?? 1)] as const
  })
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
  return new Map(weights.map(([format, weight]) => [format, weight / total]))
}

const SPELLED_OUT = new Set(["de", "at", "ch", "li", "lu", "dk", "no"])

/** Whether addresses in a country mostly have "ue" for "ü" and "oe" for "ø". */
export function expandsUmlauts(country: string | null): boolean {
  return SPELLED_OUT.has(country ?? "")
}

/** Returns the country of a domain's top-level domain. Null for a generic one. */
export function countryOf(domain: string): string | null {
  const tld = domain.slice(domain.lastIndexOf(".") + 1)
  if (GENERIC_TWO_LETTERS.has(tld)) return null
  return /^[a-z]{2}$/.test(tld) ? tld : null
}

/** Country codes that are mostly used like generic top-level domains. */
const GENERIC_TWO_LETTERS = new Set("io co ai me tv cc ws fm gg sh to ly so eu la vc im".split(" "))
