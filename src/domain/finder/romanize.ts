import { transliterate } from "transliteration"
import { romanizeArabic, romanizeHebrew } from "./romanize-abjads.ts"
import { romanizeCyrillic, romanizeDevanagari, romanizeGreek, romanizeHangul } from "./romanize-alphabets.ts"
import { romanizeChinese, romanizeJapanese } from "./romanize-han.ts"
import { foldLatin, replacer } from "./spelling-tables.ts"

/** The Georgian national system of 2002. The library confuses some of these letters. */
const georgian =
  replacer(`ა a ბ b გ g დ d ე e ვ v ზ z თ t ი i კ k ლ l მ m ნ n ო o პ p ჟ zh რ r ს s ტ t უ u ფ p ქ k ღ gh ყ q
  შ sh ჩ ch ც ts ძ dz წ ts ჭ ch ხ kh ჯ j ჰ h`)

/** Whether a word is a given name or a family name. Some scripts romanize them differently. */
type NameKind = "first" | "last"

/**
 * Returns the spellings of a name's word in an address: "a" to "z", with hyphens between separate syllables.
 * The most likely spelling comes first. Empty for a word without letters.
 */
export function romanize(word: string, kind: NameKind): string[] {
  const spellings = spellingsOf(word, kind).map((spelling) => spelling.toLowerCase().replace(/[^a-z-]/g, ""))
  return [...new Set(spellings.map((spelling) => spelling.replace(/^-+|(?<!-)-+$/g, "")))].filter((text) => text !== "")
}

function spellingsOf(word: string, kind: NameKind): string[] {
  switch (scriptOf(word)) {
    case "Latin":
      return foldLatin(word)
    case "Cyrillic":
      return romanizeCyrillic(word)
    case "Greek":
      return romanizeGreek(word)
    case "Hangul":
      return romanizeHangul(word, kind)
    case "Kana":
    case "Han":
      return romanizeJapanese(word, kind) ?? romanizeChinese(word, kind)
    case "Arabic":
      return romanizeArabic(word)
    case "Hebrew":
      return romanizeHebrew(word)
    case "Devanagari":
      return romanizeDevanagari(word)
    case null:
      return [transliterate(georgian(word))]
  }
}

/** Scripts with special romanization rules. The library's general tables romanize every other script. */
type Script = "Latin" | "Cyrillic" | "Greek" | "Hangul" | "Kana" | "Han" | "Arabic" | "Hebrew" | "Devanagari"

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
function scriptOf(word: string): Script | null {
  return TESTS.find(([, test]) => test.test(word))?.[0] ?? null
}
