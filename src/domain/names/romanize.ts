import { transliterate } from "transliteration"
import { romanizeArabic } from "./arabic.ts"
import { romanizeChinese } from "./chinese.ts"
import { romanizeCyrillic } from "./cyrillic.ts"
import { romanizeDevanagari } from "./devanagari.ts"
import { romanizeGreek } from "./greek.ts"
import { romanizeHangul } from "./hangul.ts"
import { romanizeHebrew } from "./hebrew.ts"
import { romanizeJapanese } from "./japanese.ts"
import { foldLatin } from "./latin-fold.ts"
import { scriptOf } from "./script.ts"
import { replacer } from "./spell-table.ts"

/** The Georgian national system of 2002. The library confuses some of these letters. */
const georgian =
  replacer(`ა a ბ b გ g დ d ე e ვ v ზ z თ t ი i კ k ლ l მ m ნ n ო o პ p ჟ zh რ r ს s ტ t უ u ფ p ქ k ღ gh ყ q
  შ sh ჩ ch ც ts ძ dz წ ts ჭ ch ხ kh ჯ j ჰ h`)

/** Whether a word is a given name or a family name. Some scripts romanize them differently. */
export type NameKind = "first" | "last"

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
