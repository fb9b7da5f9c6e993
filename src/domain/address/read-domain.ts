import ipaddr from "ipaddr.js"
import { toASCII, toUnicode } from "tr46"
import { isMixedDomain, type MalformedReason, nonAsciiProblem, type Problem } from "./problem.ts"

/** UTS #46 with every check. Non-transitional, so that "ß" does not become "ss". */
const CHECKS = {
  checkHyphens: true,
  checkBidi: true,
  checkJoiners: true,
  useSTD3ASCIIRules: true,
  verifyDNSLength: true,
  transitionalProcessing: false,
} as const

/** UTS #46 permits symbols, and some domains have them. A top-level domain has only letters and digits (RFC 5890). */
const TLD = /^[\p{L}\p{M}\p{N}\p{Join_Control}-]+$/u

/** Characters that UTS #46 §4 reads as a dot between labels. */
export const LABEL_SEPARATOR = /[.\u3002\uff0e\uff61]/

export interface DomainName {
  /** A-label form, lower-case. */
  readonly domain: string
  /** U-label form. */
  readonly domainUnicode: string
  /** The last label of `domain`. */
  readonly tld: string
  /** A label mixes scripts that do not belong together (UTS #39, highly restrictive). */
  readonly mixedScript: boolean
}

/** Reads the domain from `start` to the end of `input`. A trailing dot is dropped. */
export function readDomain(input: string, start: number): DomainName | Problem {
  if (start === input.length) return { reason: "empty_domain", position: start }
  if (input.charCodeAt(start) === 0x5b) {
    const reason = isAddressLiteral(input.slice(start)) ? "address_literal" : "bad_address_literal"
    return { reason, position: start }
  }
  const end = endOfName(input, start)
  const scan = scanDomain(input, start, end)
  if ("reason" in scan) return scan
  if (scan.kinds & (KIND.wide | KIND.punycode)) return readInternational(input, start, end)
  const name = input.slice(start, end)
  const domain = scan.kinds & KIND.capital ? name.toLowerCase() : name
  return { domain, domainUnicode: domain, tld: domain.slice(scan.tldStart - start), mixedScript: false }
}

/** Returns the end of the name, without the trailing dot of a rooted name. */
function endOfName(input: string, start: number): number {
  const last = input.length - 1
  const code = input.charCodeAt(last)
  const isDot = code < 0x80 ? code === 0x2e : LABEL_SEPARATOR.test(input[last]!)
  return isDot && last > start ? last : input.length
}

function readInternational(input: string, start: number, end: number): DomainName | Problem {
  const name = input.slice(start, end)
  const domain = toASCII(name, CHECKS)
  const scan = scanDomain(domain ?? "", 0, domain?.length ?? 0)
  if (domain === null || "reason" in scan) return locate(name, start)
  const domainUnicode = toUnicode(domain, CHECKS).domain
  const tldStart = domainUnicode.lastIndexOf(".") + 1
  if (!TLD.test(domainUnicode.slice(tldStart))) return { reason: "bad_idn_label", position: startOfLast(name, start) }
  return { domain, domainUnicode, tld: domain.slice(scan.tldStart), mixedScript: isMixedDomain(domainUnicode) }
}

function startOfLast(name: string, start: number): number {
  return start + name.length - name.split(LABEL_SEPARATOR).at(-1)!.length
}

/** Finds the label that IDNA rejects, or else the part that DNS rejects in A-label form. */
function locate(name: string, start: number): Problem {
  const labels = name.split(LABEL_SEPARATOR)
  const startOf = (index: number) =>
    labels.slice(0, index).reduce((position, label) => position + label.length + 1, start)
  const domain = toASCII(name, { ...CHECKS, verifyDNSLength: false })
  if (domain === null) {
    const refused = labels.findIndex((label) => toASCII(label, { ...CHECKS, verifyDNSLength: false }) === null)
    return { reason: "bad_idn_label", position: startOf(Math.max(refused, 0)) }
  }
  const problem = scanDomain(domain, 0, domain.length)
  if (!("reason" in problem)) return { reason: "bad_idn_label", position: start }
  const index = domain.slice(0, problem.position).split(".").length - 1
  return { reason: problem.reason, position: startOf(Math.min(index, labels.length - 1)) }
}

/** RFC 1035 §2.3.4, in octets. */
const MAX_LABEL = 63
/** 253 characters of text are 255 octets on the wire (RFC 1035 §3.1). */
export const MAX_DOMAIN = 253

/** Kinds of characters in a domain, as bits. */
const KIND = { letter: 1, capital: 2, digit: 4, hyphen: 8, dot: 16, wide: 32, punycode: 64 } as const

const KINDS = new Uint8Array(128)
for (const letter of "abcdefghijklmnopqrstuvwxyz") {
  KINDS[letter.charCodeAt(0)] = KIND.letter
  KINDS[letter.toUpperCase().charCodeAt(0)] = KIND.capital
}
for (const digit of "0123456789") KINDS[digit.charCodeAt(0)] = KIND.digit
KINDS[0x2d] = KIND.hyphen
KINDS[0x2e] = KIND.dot

interface DomainScan {
  /** The union of the KIND bits in the text. */
  readonly kinds: number
  /** Index of the first character of the last label. */
  readonly tldStart: number
}

/**
 * Reads `text` from `start` to `end` as LDH labels (RFC 5321 §4.1.2, RFC 5890 §2.3.1). Lengths and the last label are
 * checked only in ASCII names. Other names are checked in A-label form.
 */
function scanDomain(text: string, start: number, end: number): DomainScan | Problem {
  let kinds = 0
  let isNumeric = true
  let label = scanLabel(text, start, end)
  for (; "kinds" in label; label = scanLabel(text, label.end + 1, end)) {
    kinds |= label.kinds
    isNumeric &&= label.kinds === KIND.digit
    if (label.end === end) break
    kinds |= KIND.dot
  }
  if ("reason" in label) return label
  if (kinds & KIND.wide) return { kinds, tldStart: label.start }
  if (end - start > MAX_DOMAIN) return { reason: "domain_too_long", position: start + MAX_DOMAIN }
  if (label.kinds === KIND.digit) return { reason: isNumeric ? "ip_address" : "numeric_tld", position: label.start }
  if (!(kinds & KIND.dot)) return { reason: "single_label", position: end }
  return { kinds, tldStart: label.start }
}

interface Label {
  readonly start: number
  /** Index of the dot or end after it. */
  readonly end: number
  readonly kinds: number
}

function scanLabel(text: string, start: number, limit: number): Label | Problem {
  let kinds = 0
  let end = start
  for (; end < limit; end++) {
    const code = text.charCodeAt(end)
    const kind = code < 0x80 ? KINDS[code]! : KIND.wide
    if (kind === KIND.dot) break
    const reason = kind === 0 ? asciiReason(code) : kind === KIND.wide ? nonAsciiProblem(text, end) : undefined
    if (reason) return { reason, position: end }
    if (code >= 0xd800 && code <= 0xdbff) end++
    kinds |= kind
  }
  if (end === start) return { reason: "empty_label", position: start }
  if (end - start > MAX_LABEL && !(kinds & KIND.wide)) return { reason: "label_too_long", position: start }
  if (!(kinds & KIND.hyphen)) return { start, end, kinds }
  return hyphenatedLabel(text, { start, end, kinds })
}

/** Hyphens must not be first or last, and third and fourth only in A-labels (RFC 5891 §4.2.3.1). */
function hyphenatedLabel(text: string, label: Label): Label | Problem {
  const { start, end, kinds } = label
  if (text[start] === "-") return { reason: "bad_hyphen", position: start }
  if (text[end - 1] === "-") return { reason: "bad_hyphen", position: end - 1 }
  if (text[start + 2] !== "-" || text[start + 3] !== "-") return label
  if (!/^xn$/i.test(text.slice(start, start + 2))) return { reason: "bad_hyphen", position: start + 2 }
  return { start, end, kinds: kinds | KIND.punycode }
}

function asciiReason(code: number): MalformedReason {
  if (code < 0x20 || code === 0x7f) return "control_character"
  if (code === 0x20) return "white_space"
  if (code === 0x40) return "at_sign_in_domain"
  return code === 0x28 || code === 0x29 ? "comment" : "bad_domain_character"
}

/** Whether the text is an IPv4 or IPv6 address literal with brackets (RFC 5321 §4.1.3). No other kind is registered. */
function isAddressLiteral(text: string): boolean {
  if (!text.startsWith("[") || !text.endsWith("]")) return false
  const inner = text.slice(1, -1)
  const [, v6] = /^IPv6:([0-9a-f:.]+)$/i.exec(inner) ?? []
  return v6 ? ipaddr.IPv6.isValid(v6) : ipaddr.IPv4.isValidFourPartDecimal(inner)
}
