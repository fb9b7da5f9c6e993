/** Scripts that are romanised by rules of their own; every other one goes through the general tables of the library. */
export type Script = "Latin" | "Cyrillic" | "Greek" | "Hangul" | "Kana" | "Han" | "Arabic" | "Hebrew" | "Devanagari"

const TESTS: readonly (readonly [Script, RegExp])[] = [
  ["Kana", /[\p{Script=Hiragana}\p{Script=Katakana}]/u], // before Han: Japanese mixes them
  ["Han", /\p{Script=Han}/u],
  ["Hangul", /\p{Script=Hangul}/u],
  ["Cyrillic", /\p{Script=Cyrillic}/u],
  ["Greek", /\p{Script=Greek}/u],
  ["Arabic", /\p{Script=Arabic}/u],
  ["Hebrew", /\p{Script=Hebrew}/u],
  ["Devanagari", /\p{Script=Devanagari}/u],
  ["Latin", /\p{Script=Latin}/u],
]

/** The script of a word by its letters; null for a script without rules of its own, and for a word without letters. */
export function scriptOf(word: string): Script | null {
  return TESTS.find(([, test]) => test.test(word))?.[0] ?? null
}
