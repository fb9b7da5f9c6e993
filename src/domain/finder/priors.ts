import { FORMATS, type Format } from "./formats.ts"

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
