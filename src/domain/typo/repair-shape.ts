import { PROVIDER_DOMAINS } from "./providers.ts"

/** What an unreadable address was missing or had too much of. */
export type ShapeFault = "missing_at" | "missing_dot" | "punctuation" | "white_space" | "extra_text"

export interface RepairedShape {
  readonly local: string
  readonly domain: string
  readonly fault: ShapeFault
}

const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]/g
const LONGEST = 320

/** Popular domains that can be told off the end of a text without "@", longest first. */
const TAILS = [...PROVIDER_DOMAINS].filter((domain) => domain.indexOf(".") >= 5).sort((a, b) => b.length - a.length)

/**
 * Reads what was meant out of text that is no address: stray or doubled punctuation, white space, a missing or
 * doubled "@", a wrapping such as "mailto:" or a display name. Null when nothing can be told; the domain may still
 * hold a typo of its own.
 */
export function repairShape(input: string): RepairedShape | null {
  if (input.length > LONGEST) return null
  const plain = input.normalize("NFKC")
  // A single character may stand for eighteen.
  if (plain.length > LONGEST) return null
  const text = unwrap(plain.replace(INVISIBLE, ""))
  const compact = spelledOut(text).replace(/\s+/g, "")
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

/** Takes "mailto:", a display name with angle brackets, and surrounding punctuation off. */
function unwrap(text: string): string {
  const inBrackets = /<([^<>]*@[^<>]*)>?\s*$/.exec(text)?.[1] ?? text
  return inBrackets
    .trim()
    .replace(/^(?:e-?mail|mailto)\s*:\s*/i, "")
    .replace(/^[\s<>()[\]{}"'`,;:.@]+/, "")
    .replace(/[\s<>()[\]{}"'`,;:.@!?\\/|*]+$/, "")
    .replace(/\?(?:subject|body|cc|bcc)=.*$/i, "")
}

/** "name at example dot com", "name(at)example.com". */
function spelledOut(text: string): string {
  if (text.includes("@")) return text
  return text.replace(/\s*[([{]\s*at\s*[)\]}]\s*|\s+at\s+/i, "@").replace(/\s*[([{]\s*dot\s*[)\]}]\s*|\s+dot\s+/gi, ".")
}

function splitAtSign(text: string): { local: string; domain: string } | null {
  const at = text.lastIndexOf("@")
  if (at > 0) return splitDoubled(text, at)
  const tail = TAILS.find((domain) => text.toLowerCase().endsWith(domain))
  if (!tail || tail.length === text.length) return null
  const local = text.slice(0, -tail.length).replace(/[.,;:'"#2]$/, "")
  return { local, domain: tail }
}

function splitDoubled(text: string, at: number): { local: string; domain: string } | null {
  const domain = text.slice(at + 1)
  const local = text.slice(0, at).replace(/@+$/, "")
  const second = local.indexOf("@")
  if (second < 0) return { local, domain }
  // The whole address twice, or its domain twice.
  return local.slice(second + 1).toLowerCase() === domain.toLowerCase()
    ? { local: local.slice(0, second), domain }
    : null
}

function cleanLocal(local: string): string {
  const unquoted = local.replace(/[",;:()<>[\]\\\s]+/g, (run) => (/^[,;]+$/.test(run) ? "." : ""))
  return unquoted.replace(/\.{2,}/g, ".").replace(/^['`.]+|['`.]+$/g, "")
}

function cleanDomain(domain: string): string {
  return domain
    .toLowerCase()
    .replace(/[,;:/\\|。．]+/g, ".")
    .replace(/_/g, "-")
    .replace(/[^\p{L}\p{N}\p{M}.-]+/gu, "")
    .replace(/-*\.[.-]*/g, ".")
    .replace(/^[.-]+|[.-]+$/g, "")
}
