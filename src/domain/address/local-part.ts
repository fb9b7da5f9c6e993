import { isCombining, isStrayJoiner, nonAsciiProblem, utf8Length } from "./character.ts"
import type { MalformedReason, Problem } from "./problem.ts"

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

export interface LocalPart {
  /** In NFC, with quotes only where required. */
  readonly local: string
  readonly isQuoted: boolean
  readonly isAscii: boolean
  /** Index of the "@" after it. */
  readonly end: number
}

/** Reads a Dot-string or Quoted-string (RFC 5321 §4.1.2, with UTF-8 by RFC 6531 §3.3) up to its "@". */
export function readLocalPart(input: string): LocalPart | Problem {
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
