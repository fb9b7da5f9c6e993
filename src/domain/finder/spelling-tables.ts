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

/** Letters that Unicode does not decompose, or that have a second spelling, as [usual ASCII, other spelling]. */
const LETTERS: Readonly<Record<string, readonly [string, string?]>> = {
  ß: ["ss"],
  ä: ["a", "ae"],
  ö: ["o", "oe"],
  ü: ["u", "ue"],
  å: ["a", "aa"],
  ø: ["o", "oe"],
  æ: ["ae", "a"],
  œ: ["oe"],
  ł: ["l"],
  đ: ["d", "dj"],
  ð: ["d", "dh"],
  þ: ["th"],
  ı: ["i"],
  ħ: ["h"],
  ŋ: ["ng"],
  ŧ: ["t"],
  ĸ: ["k"],
  ə: ["e", "a"],
  ɛ: ["e"],
  ɔ: ["o"],
  ŀ: ["l"],
  ĳ: ["ij"],
  ƒ: ["f"],
  ơ: ["o"],
  ư: ["u"],
}

/**
 * Folds a word in Latin script to ASCII: without diacritics, and with spelled-out letters. Other characters stay.
 * @returns the usual spelling, then a different one with "ue" for "ü"
 */
export function foldLatin(word: string): string[] {
  const lower = word.normalize("NFC").replace(/İ/g, "i").toLowerCase()
  const usual = spell(lower, 0)
  const other = spell(lower, 1)
  return usual === other ? [usual] : [usual, other]
}

function spell(word: string, column: 0 | 1): string {
  const spelled = [...word].map((letter) => {
    const known = LETTERS[letter]
    return known ? (known[column] ?? known[0]) : letter
  })
  return spelled.join("").normalize("NFD").replace(/\p{M}/gu, "")
}
