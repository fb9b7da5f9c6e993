import { nonAsciiProblem } from "./character.ts"
import type { MalformedReason, Problem } from "./problem.ts"

/** RFC 1035 §2.3.4, in octets. */
const MAX_LABEL = 63
/** 253 characters of text are 255 octets on the wire (RFC 1035 §3.1). */
export const MAX_DOMAIN = 253

/** Kinds of characters in a domain, as bits. */
export const KIND = { letter: 1, capital: 2, digit: 4, hyphen: 8, dot: 16, wide: 32, punycode: 64 } as const

const KINDS = new Uint8Array(128)
for (const letter of "abcdefghijklmnopqrstuvwxyz") {
  KINDS[letter.charCodeAt(0)] = KIND.letter
  KINDS[letter.toUpperCase().charCodeAt(0)] = KIND.capital
}
for (const digit of "0123456789") KINDS[digit.charCodeAt(0)] = KIND.digit
KINDS[0x2d] = KIND.hyphen
KINDS[0x2e] = KIND.dot

export interface DomainScan {
  /** The union of the KIND bits in the text. */
  readonly kinds: number
  /** Index of the first character of the last label. */
  readonly tldStart: number
}

/**
 * Reads `text` from `start` to `end` as LDH labels (RFC 5321 §4.1.2, RFC 5890 §2.3.1). Lengths and the last label are
 * checked only in ASCII names. Other names are checked in A-label form.
 */
export function scanDomain(text: string, start: number, end: number): DomainScan | Problem {
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
