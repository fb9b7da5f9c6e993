import {
  isCombining,
  isMixedLocal,
  isStrayJoiner,
  type MalformedAddress,
  type MalformedReason,
  malformed,
  nonAsciiProblem,
  type Problem,
  utf8Length,
} from "./problem.ts"
import { type DomainName, MAX_DOMAIN, readDomain } from "./read-domain.ts"
import { type AddressRepair, repairAddress } from "./repair-address.ts"
import { listsSeveral } from "./several.ts"

/** RFC 5321 §4.5.3.1.3: 256 octets with the angle brackets. */
const MAX_PATH = 254

export interface ValidAddress extends DomainName {
  readonly ok: true
  /** In NFC and in the given letter case, with quotes only where required. */
  readonly local: string
  /** local + "@" + domain: the argument of RCPT TO. Parsing it gives the same result. */
  readonly normalized: string
  /** `local` is a Quoted-string. */
  readonly isQuoted: boolean
  /** A label of the domain, or a word of the local part, mixes scripts (UTS #39, highly restrictive). */
  readonly mixedScript: boolean
  /** The local part is not ASCII, so only servers with SMTPUTF8 accept it (RFC 6531). */
  readonly needsSmtpUtf8: boolean
  /** What was removed around the given text. It belongs to the call, and not to the address. */
  readonly repaired: readonly AddressRepair[]
}

export interface ValidDomain extends DomainName {
  readonly ok: true
}

export type ParsedAddress = ValidAddress | MalformedAddress
export type ParsedDomain = ValidDomain | MalformedAddress

/**
 * Parses a Mailbox (RFC 5321 §4.1.2, RFC 6531 §3.3) with an IDNA domain. It repairs the text first, so that every
 * endpoint reads the same text as the same mailbox. Comments and display names are malformed. Never throws. Text of
 * more than 2,000 characters is rejected without a scan.
 */
export function parseAddress(input: string): ParsedAddress {
  const { text, start, repaired } = repairAddress(input)
  const mailbox = readMailbox(text)
  if ("reason" in mailbox) {
    // A line break is more likely an attack on a program that writes the address into a header or a command.
    const isList = mailbox.reason !== "control_character" && listsSeveral(text)
    const reason = isList ? "several_addresses" : mailbox.reason
    return malformed(input, { reason, position: start + mailbox.position })
  }
  return { ok: true, ...mailbox, repaired }
}

/** What was removed around the text of a well-formed address. A malformed text is not repaired. */
export function repairsOf(address: ParsedAddress): AddressRepair[] {
  return address.ok ? [...address.repaired] : []
}

function readMailbox(text: string): Omit<ValidAddress, "ok" | "repaired"> | Problem {
  // A UTF-16 unit is at least one octet.
  if (text.length > MAX_PATH) return { reason: "too_long", position: MAX_PATH }
  const part = readLocalPart(text)
  if ("reason" in part) return text.includes("@") ? part : missingAtSign(text)
  const name = readDomain(text, part.end + 1)
  if ("reason" in name) return name
  const { local, isQuoted, isAscii } = part
  const { domain, domainUnicode, tld } = name
  const mixedScript = name.mixedScript || (!isAscii && isMixedLocal(local))
  const normalized = `${local}@${domain}`
  // A UTF-16 unit is at most three octets, so most addresses need no octet count.
  if (3 * Math.max(text.length, normalized.length) > MAX_PATH) {
    if (Math.max(utf8Length(normalized), utf8Length(text)) > MAX_PATH)
      return { reason: "too_long", position: text.length }
  }
  return { local, domain, domainUnicode, normalized, tld, isQuoted, needsSmtpUtf8: !isAscii, mixedScript }
}

/** Reports only the missing "@", because no other problem matters without it. */
function missingAtSign(text: string): Problem {
  return text === "" ? { reason: "empty", position: 0 } : { reason: "no_at_sign", position: text.length }
}

/** Parses a bare domain by the same rules as the domain of an address. */
export function parseDomain(input: string): ParsedDomain {
  if (input.length > MAX_DOMAIN + 1) return malformed(input, { reason: "domain_too_long", position: MAX_DOMAIN })
  const name = readDomain(input, 0)
  return "reason" in name ? malformed(input, name) : { ok: true, ...name }
}

/** RFC 5321 §4.5.3.1.1, in octets. */
const MAX_LOCAL = 64
const SPACE = 0x20
const QUOTE = 0x22
const DOT = 0x2e
const AT = 0x40
const BACKSLASH = 0x5c
const DELETE = 0x7f
/** Its NFC form is ";": the only character whose NFC form is ASCII and not atext. */
const GREEK_QUESTION_MARK = 0x37e
/** Replaces undecodable text. The mailbox is then a different one, and its absence proves nothing. */
const REPLACEMENT = 0xfffd

/** 1 for each ASCII code that is atext (RFC 5322 §3.2.3). */
const ATEXT = new Uint8Array(128)
for (const character of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-/=?^_`{|}~")
  ATEXT[character.charCodeAt(0)] = 1

interface LocalPart {
  /** In NFC, with quotes only where required. */
  readonly local: string
  readonly isQuoted: boolean
  readonly isAscii: boolean
  /** Index of the "@" after it. */
  readonly end: number
}

/** Reads a Dot-string or Quoted-string (RFC 5321 §4.1.2, with UTF-8 by RFC 6531 §3.3) up to its "@". */
function readLocalPart(input: string): LocalPart | Problem {
  const isQuoted = input.charCodeAt(0) === QUOTE
  const end = isQuoted ? scanQuotedString(input) : scanDotString(input)
  if (typeof end === "object") return end
  if (end > MAX_LOCAL) return { reason: "local_too_long", position: MAX_LOCAL }
  const raw = input.slice(0, end)
  const octets = utf8Length(raw)
  if (octets > MAX_LOCAL) return { reason: "local_too_long", position: 0 }
  return octets === end && !isQuoted ? { local: raw, isQuoted, isAscii: true, end } : normalizeLocal(raw, isQuoted)
}

/** Returns the index of the "@" after a Dot-string, or its problem. */
function scanDotString(input: string): number | Problem {
  let atomStart = 0
  for (let i = 0; i < input.length; i++) {
    const code = input.charCodeAt(i)
    if (code < 0x80 && ATEXT[code] === 1) continue
    if (code === DOT || code === AT) {
      if (i === atomStart) return { reason: emptyAtomReason(input, i), position: i }
      if (code === AT) return i
      atomStart = i + 1
      continue
    }
    const reason = code < 0x80 || code === GREEK_QUESTION_MARK ? asciiReason(code) : wideReason(input, i)
    if (reason) return { reason, position: i }
    if (isHighSurrogate(code)) i++
  }
  return { reason: "no_at_sign", position: input.length }
}

/** Returns the index of the "@" after a Quoted-string (RFC 5321 §4.1.2: qtextSMTP, quoted-pairSMTP), or its problem. */
function scanQuotedString(input: string): number | Problem {
  for (let i = 1; i < input.length; i++) {
    const code = input.charCodeAt(i)
    if (code === QUOTE) return afterQuote(input, i + 1)
    if (code === BACKSLASH) {
      i++
      if (input.charCodeAt(i) >= 0x80) return { reason: "bad_quoted_character", position: i }
    }
    const reason =
      code >= 0x80 ? wideReason(input, i) : isControl(input.charCodeAt(i)) ? "control_character" : undefined
    if (reason) return { reason, position: i }
    if (isHighSurrogate(code)) i++
  }
  return { reason: "unclosed_quote", position: 0 }
}

function afterQuote(input: string, index: number): number | Problem {
  if (index === input.length) return { reason: "no_at_sign", position: index }
  return input.charCodeAt(index) === AT ? index : { reason: "misplaced_quote", position: index }
}

/** Returns the form with the least quoting (RFC 5321 §4.1.2), in NFC. NFC can lengthen the text. */
function normalizeLocal(raw: string, isQuoted: boolean): LocalPart | Problem {
  const content = (isQuoted ? raw.slice(1, -1).replace(/\\(.)/gs, "$1") : raw).normalize("NFC")
  const isDotString = scanDotString(`${content}@`) === content.length
  const local = isDotString ? content : `"${content.replace(/["\\]/g, "\\$&")}"`
  const octets = utf8Length(local)
  if (octets > MAX_LOCAL) return { reason: "local_too_long", position: 0 }
  return { local, isQuoted: !isDotString, isAscii: octets === local.length, end: raw.length }
}

/** Returns the problem of a non-ASCII character. A combining mark needs a base character, so it cannot be the first. */
function wideReason(input: string, index: number): MalformedReason | undefined {
  const reason = nonAsciiProblem(input, index)
  if (reason) return reason
  if (input.charCodeAt(index) === REPLACEMENT) return "not_a_character"
  if (isStrayJoiner(input, index)) return "invisible_character"
  if (!isCombining(input, index)) return undefined
  return index === 0 || (index === 1 && input.charCodeAt(0) === QUOTE) ? "bad_local_character" : undefined
}

function emptyAtomReason(input: string, index: number): MalformedReason {
  if (index > 0) return input.charCodeAt(index) === AT ? "trailing_dot" : "double_dot"
  return input.charCodeAt(0) === AT ? "empty_local" : "leading_dot"
}

function asciiReason(code: number): MalformedReason {
  if (isControl(code)) return "control_character"
  if (code === SPACE) return "white_space"
  if (code === QUOTE) return "misplaced_quote"
  return code === 0x28 || code === 0x29 ? "comment" : "bad_local_character"
}

function isControl(code: number): boolean {
  return code < SPACE || code === DELETE
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
