/** Reads spellings by word from lines "key: first second". A line may have several keys. */
export function readSpellings(packed: string): ReadonlyMap<string, readonly string[]> {
  const entries = packed
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [keys = "", spellings = ""] = line.split(":")
      const values = spellings.trim().split(/\s+/)
      return keys
        .trim()
        .split(/\s+/)
        .map((key) => [key, values] as const)
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
