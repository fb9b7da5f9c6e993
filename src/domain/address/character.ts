import type { MalformedReason } from "./problem.ts"

/** Space and line separators of Unicode. */
const WHITE_SPACE = /\p{Z}/u
const LINE_BREAK = /[\u2028\u2029]/
/** Takes no room or steers the text direction, so two addresses that look alike would differ. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u
/** Zero width joiner and non-joiner: part of the spelling in Indic and Arabic scripts and in emoji. */
const JOINER = /[\u200c\u200d]/
const VARIATION_SELECTOR = /\p{Variation_Selector}/u
const MEANINGLESS = /[\p{Noncharacter_Code_Point}\p{Co}\p{Cs}]/u
const COMBINING = /\p{M}/u

/** Why the non-ASCII character at `index` cannot stand in an address; undefined when it can (RFC 6531 §3.3, tightened). */
export function nonAsciiProblem(text: string, index: number): MalformedReason | undefined {
  const codePoint = text.codePointAt(index)!
  if (codePoint < 0xa0) return "control_character"
  const character = String.fromCodePoint(codePoint)
  if (LINE_BREAK.test(character)) return "control_character"
  if (WHITE_SPACE.test(character)) return "white_space"
  if (MEANINGLESS.test(character)) return "not_a_character"
  if (JOINER.test(character)) return joinsSomething(text, index) ? undefined : "invisible_character"
  if (VARIATION_SELECTOR.test(character)) return undefined
  return INVISIBLE.test(character) ? "invisible_character" : undefined
}

/** A combining mark needs a character to stand on. */
export function isCombining(text: string, index: number): boolean {
  return COMBINING.test(String.fromCodePoint(text.codePointAt(index) ?? 0))
}

/** A joiner belongs only between two characters that are neither ASCII nor joiners. */
function joinsSomething(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1)
  const after = text.charCodeAt(index + 1)
  return before >= 0x80 && after >= 0x80 && !JOINER.test(text[index - 1]!) && !JOINER.test(text[index + 1]!)
}

/** Octets of the text in UTF-8. */
export function utf8Length(text: string): number {
  let octets = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    // A surrogate pair is four octets: two more than its two units.
    octets += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return octets
}
