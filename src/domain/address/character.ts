import type { MalformedReason } from "./problem.ts"

/** Space and line separators of Unicode. */
const WHITE_SPACE = /\p{Z}/u
const LINE_BREAK = /[\u2028\u2029]/
/** Has no width or controls the text direction, so two addresses that look alike could differ. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u
/** Zero width joiner and non-joiner: part of the spelling in Indic and Arabic scripts and in emoji. */
const JOINER = /\p{Join_Control}/u
/** Invisible, but part of the spelling. */
const USEFUL = /[\p{Join_Control}\p{Variation_Selector}]/u
const MEANINGLESS = /[\p{Noncharacter_Code_Point}\p{Co}\p{Cs}]/u
const COMBINING = /\p{M}/u

/** Why the non-ASCII character at `index` is not allowed in an address, or undefined. Stricter than RFC 6531 §3.3. */
export function nonAsciiProblem(text: string, index: number): MalformedReason | undefined {
  const codePoint = text.codePointAt(index)!
  if (codePoint < 0xa0) return "control_character"
  const character = String.fromCodePoint(codePoint)
  if (LINE_BREAK.test(character)) return "control_character"
  if (WHITE_SPACE.test(character)) return "white_space"
  if (MEANINGLESS.test(character)) return "not_a_character"
  return INVISIBLE.test(character) && !USEFUL.test(character) ? "invisible_character" : undefined
}

/** Whether the character is a joiner that joins nothing: after ASCII or a joiner, or at the end of an atom. */
export function isStrayJoiner(text: string, index: number): boolean {
  if (!JOINER.test(text[index]!)) return false
  return (
    !/[^\0-\x7f\p{Join_Control}]/u.test(text[index - 1] ?? "") ||
    /^[@."\p{Join_Control}]?$/u.test(text[index + 1] ?? "")
  )
}

/** Whether the character at `index` is a combining mark, which needs a character before it. */
export function isCombining(text: string, index: number): boolean {
  return COMBINING.test(String.fromCodePoint(text.codePointAt(index) ?? 0))
}

/** Returns the length of the text in UTF-8 octets. */
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
