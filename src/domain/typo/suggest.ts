import { type ParsedAddress, parseAddress, parseDomain } from "../address/parse.ts"
import { correctDomain } from "./correct-domain.ts"
import { foldLookalikes } from "./fold-lookalikes.ts"
import { isKnownDomain } from "./known-domains.ts"
import { PROVIDER_BY_LABEL } from "./providers.ts"
import { repairShape, type ShapeFault } from "./repair-shape.ts"
import { endsInKnownName } from "./top-level-domain.ts"

/** "domain" is the name before the suffix, "tld" the suffix. The others describe the shape of the text. */
type TypoKind = "domain" | "tld" | ShapeFault

export interface TypoExplanation {
  /** The whole corrected address, well-formed. */
  readonly suggestion: string
  readonly kind: TypoKind
  /** Confidence in the suggestion, 0 to 1. Not a calibrated probability. */
  readonly confidence: number
  /** The replaced part as typed: the domain, or the whole text for a defect of its shape. */
  readonly from: string
  readonly to: string
}

const TYPOGRAPHIC_DASH = /[\u2010-\u2015\u2212]/g

/**
 * Explains a typo of a popular mail domain, an unknown top-level domain, or a repairable malformed address.
 * Null for every known domain and every domain that may be correct. Does not query DNS: the caller must check whether
 * the typed domain accepts mail.
 */
export function explainTypo(input: string, parsed: ParsedAddress): TypoExplanation | null {
  return parsed.ok ? explainValid(parsed) : explainMalformed(input)
}

/** Returns only the corrected address of `explainTypo`. */
export function suggestAddress(input: string, parsed: ParsedAddress): string | null {
  return explainTypo(input, parsed)?.suggestion ?? null
}

function explainValid(parsed: ParsedAddress & { ok: true }): TypoExplanation | null {
  const { local, domain, domainUnicode } = parsed
  if (isKnownDomain(domain)) return null
  if (domainUnicode !== domain) {
    const to = plainDomain(domainUnicode)
    return to === null
      ? null
      : { suggestion: `${local}@${to}`, kind: "domain", confidence: 0.9, from: domainUnicode, to }
  }
  const correction = correctDomain(domain)
  if (!correction) return null
  const { domain: to, kind, cost } = correction
  return { suggestion: `${local}@${to}`, kind, confidence: confidenceOf(cost), from: domain, to }
}

/** Replaces look-alike letters and typographic dashes. No registry accepts such a dash (RFC 5892). */
function plainDomain(domainUnicode: string): string | null {
  const dashed = domainUnicode.replace(TYPOGRAPHIC_DASH, "-")
  const folded = foldLookalikes(dashed)
  if (isKnownDomain(folded)) return folded
  const name = dashed === domainUnicode ? null : parseDomain(dashed)
  return name?.ok ? (correctDomain(name.domain)?.domain ?? name.domain) : null
}

function explainMalformed(input: string): TypoExplanation | null {
  const shape = repairShape(input)
  if (!shape) return null
  const { local, fault } = shape
  const completed = complete(shape.domain)
  const correction = correctDomain(completed)
  const to = correction?.domain ?? completed
  const suggestion = `${local}@${to}`
  const checked = parseAddress(suggestion)
  if (!checked.ok || suggestion === input || !endsInKnownName(checked.domain)) return null
  const confidence = confidenceOf((correction?.cost ?? 0) + (fault === "missing_at" ? 0.6 : 0.2))
  return { suggestion, kind: fault, confidence, from: input, to: suggestion }
}

/** Adds the default suffix to a popular name, or the missing dot to a popular domain. */
function complete(domain: string): string {
  if (domain.includes(".")) return domain
  const provider = PROVIDER_BY_LABEL.get(domain)
  if (provider) return `${domain}.${provider.suffixes[0]}`
  const dotted = Array.from({ length: domain.length }, (_, at) => `${domain.slice(0, at)}.${domain.slice(at)}`)
  return dotted.find(isKnownDomain) ?? domain
}

function confidenceOf(cost: number): number {
  return Math.round(Math.max(0.3, 0.99 - 0.25 * cost) * 100) / 100
}
