/** Scripts with special romanization rules. The library's general tables romanize every other script. */
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

/** Returns the script of a word by its letters. Null for a script without special rules, or without letters. */
export function scriptOf(word: string): Script | null {
  return TESTS.find(([, test]) => test.test(word))?.[0] ?? null
}
