import { getPublicSuffix, parse } from "tldts"
import { parseAddress } from "../address/parse.ts"
import { decodeEntities, visibleText } from "./web-page.ts"

/** The notation of an address on a page. */
type Notation = "plain" | "mailto" | "obfuscated" | "cloudflare"

export interface MinedEmail {
  /** Normalized. */
  readonly email: string
  readonly writing: Notation
  /** The text of its link when it looks like a person's name, else "". */
  readonly label: string
}

const MOST = 1_000
/** An apostrophe between two letters belongs to the name (o'brien). Before the first it is a quote. */
const APOSTROPHE = "(?<=[a-z0-9])'(?=[a-z0-9])"
const LOCAL = `[a-z0-9_](?:(?:[a-z0-9._%+-]|${APOSTROPHE}){0,62}[a-z0-9_])?`
const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
/** Not after a letter with an accent: joão@ must not give o@. */
const PLAIN_START = "(?<![a-z0-9._%+\\-\\p{sc=Latn}\\p{M}]|[a-z0-9\\p{sc=Latn}\\p{M}]')"
const PLAIN = new RegExp(`${PLAIN_START}${LOCAL}@${LABEL}(?:\\.${LABEL}){1,6}(?![a-z0-9@-])`, "giu")
/** Unicode letters in the local part or the domain (RFC 6531). */
const INTERNATIONAL =
  /(?<![\p{L}\p{N}\p{M}._%+-]|[\p{L}\p{N}\p{M}]')[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}._%+-]|(?<=[\p{L}\p{N}\p{M}])'(?=[\p{L}\p{N}])){0,62}@[\p{L}\p{N}\p{M}-]{1,63}(?:\.[\p{L}\p{N}\p{M}-]{1,63}){1,4}/gu
const OPEN = "[\\[({<]{1,2}"
const CLOSE = "[\\])}>]{1,2}"
const AT_WORD = "(?:at|@|arroba|arobase|chez|ät|kukac|chiocciola|apenstaartje|snabel-?a|malpa|собака)"
const DOT_WORD = "(?:dot|\\.|punto|punkt|point|ponto|kropka|punt|точка)"
/** "(at)" in any bracket, or a spaced or underscored sign. The bare word also requires a spelled-out dot. */
const AT = `(?:\\s{0,3}${OPEN}\\s{0,2}${AT_WORD}\\s{0,2}${CLOSE}\\s{0,3}|[[(]a[\\])]|\\s{1,3}@\\s{0,3}|\\s{0,3}@\\s{1,3}|_at_)`
const DOT = `(?:\\s{0,3}${OPEN}\\s{0,2}${DOT_WORD}\\s{0,2}${CLOSE}\\s{0,3}|\\s{1,3}${DOT_WORD}\\s{1,3}|_dot_|\\.)`
const SPELLED_DOT = `(?:\\s{0,3}${OPEN}\\s{0,2}${DOT_WORD}\\s{0,2}${CLOSE}\\s{0,3}|\\s{1,3}dot\\s{1,3})`
/** Excludes the "_" of "_dot_" and "_at_", so that a text full of them does not cause exponential backtracking. */
const LETTER = "[a-z0-9+-]|_(?!(?:dot|at)_)"
const WORD = `(?:${LETTER}){1,40}`
const NAME = `(?:${LETTER}|${APOSTROPHE}){1,40}`
const START = "(?<![a-z0-9.@_+-]|[a-z0-9]')"
const BRACKETED = new RegExp(`${START}(${NAME}(?:${DOT}${NAME}){0,4})${AT}(${WORD}(?:${DOT}${WORD}){1,4})`, "gi")
const SPELLED = new RegExp(
  `${START}(${NAME}(?:(?:\\.|${SPELLED_DOT})${NAME}){0,3})(?:\\s{1,3}at\\s{1,3}|@)(${WORD}(?:${SPELLED_DOT}${WORD}){1,3})`,
  "gi",
)
/** In Spanish and Portuguese, "arroba" before a domain means only "@". So does "AT" beside lower-case letters. */
const NAMED = new RegExp(
  `${START}(${NAME}(?:${DOT}${NAME}){0,3})\\s{1,3}arroba\\s{1,3}(${WORD}(?:${DOT}${WORD}){1,3})`,
  "gi",
)
const CAPITAL =
  /(?<![A-Za-z0-9.@_+-])([a-z0-9](?:[a-z0-9._+-]{0,40}[a-z0-9])?)\s{1,3}AT\s{1,3}([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4})/g
/** The "@" in other notations: in scripts, in URLs, on East Asian keyboards. */
const SIGN = /\\u0040|\\x40|%40|＠/gi
const BRACKETED_TAG = /<(at|dot)>/gi
/** Matches the tag only. With the target in the same pattern, each earlier "href" would be matched to the tag's end. */
const LINK = /<a\b([^<>]*)>([^<]{0,120})/gi
const MAILTO = /href\s{0,20}=\s{0,20}["']?\s{0,20}mailto:([^"'<>\s?]{3,})/i
/** A user and password in a URL (RFC 3986 §3.2.1) look like a local part before the host. */
const USERINFO = /(?<!\bmailto):\/\/[^\s/?#<>"(),;|]*@/gi
/** Longest text that may be an address, in characters. */
const LONGEST = 400
const CLOUDFLARE = /(?:data-cfemail\s*=\s*["']?|\/cdn-cgi\/l\/email-protection#)([0-9a-f]{6,600})/gi
/** File name extensions that look like a top-level domain: logo@2x.png. */
const FILE = /\.(?:png|jpe?g|gif|svg|webp|avif|ico|css|m?js|json|map|woff2?|ttf|mp4|webm|pdf|html?|php|aspx?)$/i

/**
 * Extracts the addresses of a text or page, each once. Finds plain addresses, mailto links, addresses that Cloudflare
 * hides, and obfuscated ones such as "name (at) domain dot com". Time is linear in the size of the input.
 * @param site domain of the page, which is accepted even under an unknown top-level domain
 */
export function mineEmails(input: string, site?: string): MinedEmail[] {
  const found = new Map<string, MinedEmail>()
  const add = (text: string, writing: Notation, label = "") => {
    if (text.length > LONGEST) return
    const address = parseAddress(text.replace(/^[.\s]+|(?<![.\s])[.\s]+$/g, ""))
    if (!address.ok || found.size >= MOST || FILE.test(address.domain)) return
    const key = address.normalized.toLowerCase()
    const before = found.get(key)
    if (before ? before.label !== "" || label === "" : !isPlausible(address.domain, writing, site)) return
    found.set(key, { email: address.normalized, writing: before?.writing ?? writing, label })
  }
  for (const [, attributes = "", text = ""] of input.matchAll(LINK)) {
    const [, target = ""] = MAILTO.exec(attributes) ?? []
    if (target === "") continue
    for (const address of decodePercent(decodeEntities(target)).split(","))
      add(address, "mailto", nameIn(decodeEntities(text)))
  }
  for (const [, hidden = ""] of input.matchAll(CLOUDFLARE)) add(decodeCloudflare(hidden), "cloudflare")
  const text = visibleText(input.replace(BRACKETED_TAG, "($1)"))
    .replace(SIGN, "@")
    .replaceAll("．", ".")
    .replace(USERINFO, "://")
  const ends = new Set<number>()
  for (const { 0: address, index } of text.matchAll(PLAIN)) {
    const end = index + address.length
    ends.add(end)
    const isEmphasized = address.startsWith("_") && text[end] === "_"
    add(isEmphasized ? address.slice(1) : address, "plain")
  }
  // A match with the same end as a plain address has a word of another script directly before it.
  for (const { 0: address, index } of text.matchAll(INTERNATIONAL))
    if (!ends.has(index + address.length)) add(address, "plain")
  for (const pattern of [BRACKETED, SPELLED, NAMED, CAPITAL])
    for (const [, local = "", host = ""] of text.matchAll(pattern))
      for (const address of deobfuscate(local, host, site)) add(address, "obfuscated")
  return [...found.values()]
}

/** Returns the address in an obfuscated text. The domain ends at its public suffix; further words are dropped. */
function deobfuscate(local: string, host: string, domain: string | undefined): string[] {
  const dots = new RegExp(DOT, "gi")
  const name = local.replace(dots, ".")
  const labels = host.replace(dots, ".").toLowerCase().split(".")
  for (let count = labels.length; count >= 2; count--) {
    const candidate = labels.slice(0, count).join(".")
    if (isPlausible(candidate, "obfuscated", domain)) return [`${name}@${candidate}`]
  }
  return []
}

/** Whether the host can be a domain. In an obfuscated address it must have a known public suffix. */
function isPlausible(host: string, writing: Notation, domain: string | undefined): boolean {
  if (domain !== undefined && (host === domain || host.endsWith(`.${domain}`))) return true
  const { isIcann, domain: registrable } = parse(host)
  if (isIcann && registrable !== null) return true
  return writing !== "obfuscated" && (getPublicSuffix(host) ?? "").length >= 2
}

/** Decodes the hex form: a key byte, then the address XOR the key. */
function decodeCloudflare(hex: string): string {
  const bytes = hex.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? []
  const key = bytes[0] ?? 0
  return new TextDecoder().decode(Uint8Array.from(bytes.slice(1).map((byte) => byte ^ key)))
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns a link's text when it looks like a name of two or more words. */
function nameIn(text: string): string {
  const trimmed = text.replace(/\s+/g, " ").trim()
  return /^\p{Lu}[\p{L}\p{M}'’.-]+(?: [\p{L}\p{M}'’.-]+){1,3}$/u.test(trimmed) ? trimmed : ""
}
