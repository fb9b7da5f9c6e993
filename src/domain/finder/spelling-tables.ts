import { transliterate } from "transliteration"
import { referenceBytes, type SpellingTable, wordsOf } from "../reference/tables.ts"

const tables = new Map<SpellingTable, ReadonlyMap<string, readonly string[]>>()

/** Returns the customary spellings of a word, or the short forms of a name. They are data, which rules do not give. */
export function customarySpellings(name: SpellingTable, word: string): readonly string[] | undefined {
  const table = tables.get(name) ?? readSpellings(new TextDecoder().decode(referenceBytes(`spellings/${name}.txt`)))
  tables.set(name, table)
  return table.get(word)
}

/** Reads spellings by word from lines "key: first second". A line may have several keys. */
function readSpellings(text: string): ReadonlyMap<string, readonly string[]> {
  const entries = text.split("\n").flatMap((line) => {
    const [keys = "", spellings = ""] = line.split(":")
    return wordsOf(keys).map((key) => [key, wordsOf(spellings)] as const)
  })
  return new Map(entries)
}

/**
 * Returns a function that replaces entries of a table, the longest match first.
 * @param pairs "from to" pairs, separated by white space
 */
export function replacer(pairs: string): (word: string) => string {
  const cells = pairs.trim().split(/\s+/)
  const table = new Map<string, string>()
  for (let at = 0; at + 1 < cells.length; at += 2) table.set(cells[at]!, cells[at + 1]!.replace("-", ""))
  const longest = Math.max(...[...table.keys()].map((key) => key.length))
  return (word) => {
    let spelled = ""
    for (let at = 0; at < word.length; ) {
      let length = Math.min(longest, word.length - at)
      while (length > 0 && !table.has(word.slice(at, at + length))) length--
      spelled += length === 0 ? word[at] : table.get(word.slice(at, at + length))
      at += Math.max(1, length)
    }
    return spelled
  }
}

/** The second spellings of Latin letters. */
const spellOut = replacer("ä ae ö oe ü ue å aa ø oe æ a đ dj ð dh ə a")

/**
 * Folds a word in Latin script to ASCII: without diacritics, and with spelled-out letters. Other scripts stay.
 * @returns the usual spelling, then a different one with "ue" for "ü"
 */
export function foldLatin(word: string): string[] {
  const lower = word.normalize("NFC").replace(/İ/g, "i").toLowerCase()
  return [...new Set([toAscii(lower.replace(/ə/g, "e")), toAscii(spellOut(lower))])]
}

function toAscii(word: string): string {
  const bare = word.normalize("NFD").replace(/\p{M}/gu, "")
  return bare.replace(/(?!\p{ASCII})\p{Script=Latin}/gu, (letter) => transliterate(letter).toLowerCase())
}
