import { decodeEntities } from "../finder/web-page.ts"
import { parkingService } from "../reference/classify-by-hosts.ts"
import { hasMailHost, type MailRoute } from "../verification/evidence.ts"
import { correctDomain, foldLookalikes } from "./correct-domain.ts"
import { endsInKnownName } from "./correct-suffix.ts"
import { isKnownDomain, PROVIDER_BY_LABEL, PROVIDER_DOMAINS } from "./mail-providers.ts"
import { type ParsedAddress, parseAddress, parseDomain } from "./parse.ts"
import type { MalformedAddress } from "./problem.ts"

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

/** Returns the normalized address, or the input of a malformed address. */
function typed(address: ParsedAddress): string {
  return address.ok ? address.normalized : address.input
}

/**
 * Returns the address that was probably meant, or null. A domain that accepts mail is never a typo, unless its mail goes
 * to a parking service. A domain with unknown mail hosts may be a typo.
 */
export function didYouMean(address: ParsedAddress, route: MailRoute | undefined): string | null {
  return hasMailHostToUse(route) ? null : suggestAddress(typed(address), address)
}

/** Returns the problem of a malformed address in a sentence, and the address that was probably meant. */
export function explainProblem(address: MalformedAddress): string {
  const meant = didYouMean(address, undefined)
  return meant === null ? address.message : `${address.message} Did you mean ${meant}?`
}

/** Whether the domain has a mail host other than a parking service. */
export function hasMailHostToUse(route: MailRoute | undefined): boolean {
  if (!route || !hasMailHost(route)) return false
  const mailHosts = route.hosts.map(({ host }) => host)
  return parkingService({ nameServers: [], mailHosts, addresses: [], siteHost: null }) === null
}

/** The defect of a malformed address. */
type ShapeFault = "missing_at" | "missing_dot" | "punctuation" | "white_space" | "extra_text"

interface RepairedShape {
  readonly local: string
  readonly domain: string
  readonly fault: ShapeFault
}

/** Invisible characters. Joiners and variation selectors are kept, except a joiner beside ASCII or at an end. */
const INVISIBLE =
  /(?![\p{Join_Control}\p{Variation_Selector}])[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?<![^\0-\x7f])\p{Join_Control}|\p{Join_Control}(?![^\0-\x7f])/gu
const LONGEST = 320

/** A comment (RFC 5322 §3.2.2). */
const COMMENT = /\([^()@]*\)/g
/** Punctuation that never begins a name, and list marks and pictograms before a space. */
const LEADING = /^(?:[^\p{L}\p{N}]*\s)?(?:[<>`^|~]|[^\p{L}\p{N}\p{M}\p{S}\s!#%&*/?_-])*/u
/** Labels before an address. */
const LABEL = /^(?:[\p{L}\s-]+:\s+|(?:e-?mail|mailto|smtp|sip|https?)(?:\s*:(?:\/\/)?|\s)\s*)(?![\s@])/iu

/** Popular domains that are recognized at the end of a text without "@", the longest first. */
const TAILS = [...PROVIDER_DOMAINS].filter((domain) => domain.indexOf(".") >= 5).sort((a, b) => b.length - a.length)

/**
 * Repairs a malformed address: stray or doubled punctuation, white space, a missing or doubled "@", "mailto:" or a
 * display name. The domain of the result may still contain a typo. Null when the text cannot be repaired.
 */
function repairShape(input: string): RepairedShape | null {
  if (input.length > LONGEST) return null
  const plain = decoded(input).normalize("NFKC")
  // NFKC can expand a character to eighteen.
  if (plain.length > LONGEST) return null
  const text = dropName(unwrap(spelledOut(plain.replace(INVISIBLE, "")).replace(COMMENT, "")))
  if (text === null) return null
  const compact = dropRepetition(text.replace(/\s+/g, ""))
  const parts = splitAtSign(compact)
  if (!parts) return null
  const local = cleanLocal(parts.local)
  const domain = cleanDomain(parts.domain)
  if (local === "" || domain === "") return null
  return { local, domain, fault: faultOf(input, compact, { local, domain }) }
}

function faultOf(input: string, compact: string, { local, domain }: { local: string; domain: string }): ShapeFault {
  if (!compact.includes("@")) return "missing_at"
  if (!domain.includes(".")) return "missing_dot"
  if (/mailto:|[<>]/i.test(input)) return "extra_text"
  const unspaced = input.replace(INVISIBLE, "").replace(/\s+/g, "").toLowerCase()
  return unspaced === `${local}@${domain}`.toLowerCase() ? "white_space" : "punctuation"
}

/** Decodes HTML and URL notation: "&lt;", "&#64;", "%40". */
function decoded(text: string): string {
  return decodeEntities(text).replace(/%([2-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

/** Removes a label such as "mailto:" or "Courriel :", a display name, angle brackets and surrounding punctuation. */
function unwrap(text: string): string {
  const inBrackets = /^[^<>]*<([^<>@]*@[^<>]*)(?:>[\s,;.]*)?$/.exec(text)?.[1] ?? text
  return inBrackets
    .replace(LEADING, "")
    .replace(LABEL, "")
    .replace(LEADING, "")
    .replace(/(?<![\s<>()[\]{}"'`,;:.@!?\\/|*])[\s<>()[\]{}"'`,;:.@!?\\/|*]+$/, "")
    .replace(/\?(?:subject|body|cc|bcc)=.*$/i, "")
}

/** Removes a name that the address repeats. Null when other words precede the address, so its start is uncertain. */
function dropName(text: string): string | null {
  const alone = text.replace(/^(\S+)\s+(?=\1)/i, "")
  return /\S\s+\S+\s+\S[^@]*@/.test(alone) ? null : alone
}

/** Removes the second copy of a repeated address. */
function dropRepetition(text: string): string {
  const half = Math.floor(text.length / 2)
  const [first, between, second] = [text.slice(0, half), text.slice(half, -half), text.slice(-half)]
  return first.includes("@") && first.toLowerCase() === second.toLowerCase() && /^[,;/|]?$/.test(between) ? first : text
}

/** Replaces the words in "name at example dot com" and "name(at)example.com". */
function spelledOut(text: string): string {
  const joined = text.includes("@") ? text : text.replace(/(?:(?<!\s)\s+)?[([{]\s*at\s*[)\]}]\s*|(?<!\s)\s+at\s+/i, "@")
  return joined.replace(/(?:(?<!\s)\s+)?[([{]\s*dot\s*[)\]}]\s*|(?<!\s)\s+dot\s+/gi, ".")
}

function splitAtSign(text: string): { local: string; domain: string } | null {
  const at = text.lastIndexOf("@")
  if (at > 0) return splitDoubled(text, at)
  const name = text.replace(/^www\./i, "")
  const tail = TAILS.find((domain) => name.toLowerCase().endsWith(domain))
  if (!tail || tail.length === name.length) return null
  // The text before the domain replaces the "@": another key, or the word "at".
  const local = name
    .slice(0, -tail.length)
    .replace(/[._-]at[._-]$|(?<=[\p{L}\p{N}\p{M}]|^)[^\p{L}\p{N}\p{M}]+$|2$/iu, "")
  return { local, domain: tail }
}

function splitDoubled(text: string, at: number): { local: string; domain: string } | null {
  const domain = text.slice(at + 1)
  const local = text.slice(0, at).replace(/(?<!@)@+$/, "")
  const second = local.indexOf("@")
  if (second < 0) return { local, domain }
  const between = local.slice(second + 1)
  // "@" instead of the dot.
  if (!domain.includes(".") && !/[.@]/.test(between))
    return { local: local.slice(0, second), domain: `${between}.${domain}` }
  // The domain occurs twice.
  return between.toLowerCase() === domain.toLowerCase() ? { local: local.slice(0, second), domain } : null
}

function cleanLocal(local: string): string {
  const unquoted = local.replace(/[",;:()<>[\]\\\s]+/g, (run) => (/^[,;]+$/.test(run) ? "." : ""))
  return unquoted.replace(/\.{2,}/g, ".").replace(/^['`.]+|(?<!['`.])['`.]+$/g, "")
}

function cleanDomain(domain: string): string {
  return domain
    .toLowerCase()
    .replace(/[,;:/\\|。．]+/g, ".")
    .replace(/[_\u2010-\u2015\u2212]/g, "-")
    .replace(/[^\p{L}\p{N}\p{M}.-]+/gu, "")
    .replace(/(?<!-)-*\.[.-]*/g, ".")
    .replace(/^[.-]+|(?<![.-])[.-]+$/g, "")
}
