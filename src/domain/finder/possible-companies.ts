import type { PossibleSize } from "./company-size.ts"
import { FORMATS, type Format } from "./formats.ts"
import { type CompanySize, priorOf } from "./priors.ts"

/** A company as it may be: its size and its house format. */
export interface PossibleCompany {
  readonly people: number
  readonly probability: number
  /** Share of its addresses in a format. */
  shareOf(format: Format): number
}

/** Addresses for each format, and of all formats. Both may be fractional, as decayed counts are. */
export interface FormatCounts {
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
