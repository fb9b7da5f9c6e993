import { FORMATS, type Format } from "./formats.ts"

/** How large a company is, as far as it can be told from outside. */
export const COMPANY_SIZES = ["small", "medium", "large"] as const
export type CompanySize = (typeof COMPANY_SIZES)[number]

/** People behind a domain of each size, for the odds that a short local part is taken. */
export const PEOPLE: Readonly<Record<CompanySize, number>> = { small: 12, medium: 150, large: 5_000 }

type Shares = Partial<Record<Format, number>>

/** What companies of a size use before anything is known. Orders of magnitude: small ones write first names, large ones both. */
const BY_SIZE: Readonly<Record<CompanySize, Shares>> = {
  small: { "{first}": 0.48, "{first}.{last}": 0.18, "{f}{last}": 0.12, "{first}{last}": 0.06, "{first}{l}": 0.04 },
  medium: { "{first}.{last}": 0.32, "{f}{last}": 0.28, "{first}": 0.16, "{first}{last}": 0.06, "{first}{l}": 0.04 },
  large: { "{first}.{last}": 0.5, "{f}{last}": 0.24, "{first}_{last}": 0.05, "{first}": 0.02, "{f}.{last}": 0.04 },
}

/** What the companies of a country do more than others do, as factors. */
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

/** Formats without a figure of their own share this, the rarer the less. */
const REST = 0.12

/** The shares of all formats before anything is known of a domain. They add up to 1. @param country of the ccTLD, or null */
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

/** Whether people of a country mostly write "ue" for "ü" and "oe" for "ø" in addresses. */
export function spellsUmlautsOut(country: string | null): boolean {
  return SPELLED_OUT.has(country ?? "")
}

/** The country a domain says it belongs to by its top-level domain; null for a generic one. */
export function countryOf(domain: string): string | null {
  const tld = domain.slice(domain.lastIndexOf(".") + 1)
  if (GENERIC_TWO_LETTERS.has(tld)) return null
  return /^[a-z]{2}$/.test(tld) ? tld : null
}

/** Country codes that are mostly sold to everybody. */
const GENERIC_TWO_LETTERS = new Set("io co ai me tv cc ws fm gg sh to ly so eu la vc im".split(" "))
