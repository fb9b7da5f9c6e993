import type { MalformedReason } from "./problem.ts"

/** Space and line separators of Unicode. */
const WHITE_SPACE = /\p{Z}/u
const LINE_BREAK = /[\u2028\u2029]/
/** Takes no room or steers the text direction, so two addresses that look alike would differ. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u
/** Zero width joiner and non-joiner: part of the spelling in Indic and Arabic scripts and in emoji. */
const JOINER = /\p{Join_Control}/u
/** Invisible, but part of the spelling. */
const USEFUL = /[\p{Join_Control}\p{Variation_Selector}]/u
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
  return INVISIBLE.test(character) && !USEFUL.test(character) ? "invisible_character" : undefined
}

/** Whether a joiner stands where it joins nothing: after ASCII or a joiner, or at the end of an atom. */
export function isStrayJoiner(text: string, index: number): boolean {
  if (!JOINER.test(text[index]!)) return false
  return (
    !/[^\0-\x7f\p{Join_Control}]/u.test(text[index - 1] ?? "") ||
    /^[@."\p{Join_Control}]?$/u.test(text[index + 1] ?? "")
  )
}

/** A combining mark needs a character to stand on. */
export function isCombining(text: string, index: number): boolean {
  return COMBINING.test(String.fromCodePoint(text.codePointAt(index) ?? 0))
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
