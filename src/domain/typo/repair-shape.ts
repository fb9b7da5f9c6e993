import { decodeEntities } from "../extract/html-text.ts"
import { PROVIDER_DOMAINS } from "./providers.ts"

/** What an unreadable address was missing or had too much of. */
export type ShapeFault = "missing_at" | "missing_dot" | "punctuation" | "white_space" | "extra_text"

export interface RepairedShape {
  readonly local: string
  readonly domain: string
  readonly fault: ShapeFault
}

/** Shows nothing. Joiners and variation selectors are part of the spelling, but for a joiner beside ASCII or at an end. */
const INVISIBLE =
  /(?![\p{Join_Control}\p{Variation_Selector}])[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?<![^\0-\x7f])\p{Join_Control}|\p{Join_Control}(?![^\0-\x7f])/gu
const LONGEST = 320

/** A comment (RFC 5322 §3.2.2). */
const COMMENT = /\([^()@]*\)/g
/** Punctuation that no name begins with, and list marks and pictograms before a space. */
const LEADING = /^(?:[<>`^|~]|[^\p{L}\p{N}\p{M}\p{S}!#%&*/?_-]|[^\p{L}\p{N}]+\s)+/u
/** What people write before an address. */
const LABEL = /^(?:[\p{L}\s-]+:\s+|(?:e-?mail|mailto|smtp|sip|https?)(?:\s*:(?:\/\/)?|\s)\s*)(?!\s*@)/iu

/** Popular domains that can be told off the end of a text without "@", longest first. */
const TAILS = [...PROVIDER_DOMAINS].filter((domain) => domain.indexOf(".") >= 5).sort((a, b) => b.length - a.length)

/**
 * Reads what was meant out of text that is no address: stray or doubled punctuation, white space, a missing or
 * doubled "@", a wrapping such as "mailto:" or a display name. Null when nothing can be told; the domain may still
 * hold a typo of its own.
 */
export function repairShape(input: string): RepairedShape | null {
  if (input.length > LONGEST) return null
  const plain = decoded(input).normalize("NFKC")
  // A single character may stand for eighteen.
  if (plain.length > LONGEST) return null
  const text = besideName(unwrap(spelledOut(plain.replace(INVISIBLE, "")).replace(COMMENT, "")))
  if (text === null) return null
  const compact = once(text.replace(/\s+/g, ""))
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

/** Reads characters written as HTML or a URL has them: "&lt;", "&#64;", "%40". */
function decoded(text: string): string {
  return decodeEntities(text).replace(/%([2-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

/** Takes a label as "mailto:" or "Courriel :", a display name with angle brackets, and surrounding punctuation off. */
function unwrap(text: string): string {
  const inBrackets = /^[^<>]*<([^<>]*@[^<>]*)>?[\s,;.]*$/.exec(text)?.[1] ?? text
  return inBrackets
    .replace(LEADING, "")
    .replace(LABEL, "")
    .replace(LEADING, "")
    .replace(/[\s<>()[\]{}"'`,;:.@!?\\/|*]+$/, "")
    .replace(/\?(?:subject|body|cc|bcc)=.*$/i, "")
}

/** Leaves out a name that the address begins with; null when other words stand before the address, so that its start is unsure. */
function besideName(text: string): string | null {
  const alone = text.replace(/^(\S+)\s+(?=\1)/i, "")
  return /\S\s+\S+\s+\S[^@]*@/.test(alone) ? null : alone
}

/** One of them where the whole address stands there twice. */
function once(text: string): string {
  const half = Math.floor(text.length / 2)
  const [first, between, second] = [text.slice(0, half), text.slice(half, -half), text.slice(-half)]
  return first.includes("@") && first.toLowerCase() === second.toLowerCase() && /^[,;/|]?$/.test(between) ? first : text
}

/** "name at example dot com", "name(at)example.com". */
function spelledOut(text: string): string {
  const joined = text.includes("@") ? text : text.replace(/\s*[([{]\s*at\s*[)\]}]\s*|\s+at\s+/i, "@")
  return joined.replace(/\s*[([{]\s*dot\s*[)\]}]\s*|\s+dot\s+/gi, ".")
}

function splitAtSign(text: string): { local: string; domain: string } | null {
  const at = text.lastIndexOf("@")
  if (at > 0) return splitDoubled(text, at)
  const name = text.replace(/^www\./i, "")
  const tail = TAILS.find((domain) => name.toLowerCase().endsWith(domain))
  if (!tail || tail.length === name.length) return null
  // What stands there was struck for the "@", or spells it.
  const local = name.slice(0, -tail.length).replace(/[._-]at[._-]$|[^\p{L}\p{N}\p{M}]+$|2$/iu, "")
  return { local, domain: tail }
}

function splitDoubled(text: string, at: number): { local: string; domain: string } | null {
  const domain = text.slice(at + 1)
  const local = text.slice(0, at).replace(/@+$/, "")
  const second = local.indexOf("@")
  if (second < 0) return { local, domain }
  const between = local.slice(second + 1)
  // "@" for the dot.
  if (!domain.includes(".") && !/[.@]/.test(between))
    return { local: local.slice(0, second), domain: `${between}.${domain}` }
  // Its domain twice.
  return between.toLowerCase() === domain.toLowerCase() ? { local: local.slice(0, second), domain } : null
}

function cleanLocal(local: string): string {
  const unquoted = local.replace(/[",;:()<>[\]\\\s]+/g, (run) => (/^[,;]+$/.test(run) ? "." : ""))
  return unquoted.replace(/\.{2,}/g, ".").replace(/^['`.]+|['`.]+$/g, "")
}

function cleanDomain(domain: string): string {
  return domain
    .toLowerCase()
    .replace(/[,;:/\\|。．]+/g, ".")
    .replace(/[_\u2010-\u2015\u2212]/g, "-")
    .replace(/[^\p{L}\p{N}\p{M}.-]+/gu, "")
    .replace(/-*\.[.-]*/g, ".")
    .replace(/^[.-]+|[.-]+$/g, "")
}
