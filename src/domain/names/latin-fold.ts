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
