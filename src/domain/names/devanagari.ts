import { readSpellings } from "./spell-table.ts"

const CUSTOMARY = readSpellings(`
सिंह: singh sinha
दीपक: deepak dipak
चौधरी: chaudhary choudhary chaudhari
बनर्जी: banerjee
मुखर्जी: mukherjee
चटर्जी: chatterjee
अग्रवाल: agarwal aggarwal agrawal
जोशी: joshi
नेहा: neha
पूजा: pooja puja
सुनील: sunil suneel
वर्मा: verma varma
मिश्रा मिश्र: mishra misra
लक्ष्मी: lakshmi laxmi
`)

/** Consonants and independent vowels in the order of the Unicode block from U+0905. */
const VOWELS = "a a i i u u ri l e e e ai o o o au".split(" ")
const CONSONANTS = "k kh g gh n ch chh j jh n t th d dh n t th d dh n n p ph b bh m y r r l l l v sh sh s h".split(" ")
/** Vowel signs from U+093E. */
const SIGNS = "a i I u U ri r e e e ai o o o au".split(" ")
/** Spellings of the long vowels, which capitals mark until the final spelling. */
const LONG: Readonly<Record<string, string>> = { I: "ee", U: "oo" }
const VIRAMA = "\u094d"

interface Syllable {
  readonly consonants: string
  /** Null for the inherent vowel, which is not written. */
  readonly vowel: string | null
  readonly after: string
}

/** Romanizes a word in Devanagari like usual names: with short vowels, and without a mute "a". */
export function romanizeDevanagari(word: string): string[] {
  const syllables = readSyllables(word.normalize("NFD"))
  const usual = romanize(syllables, false)
  const long = romanize(syllables, true)
  return [...(CUSTOMARY.get(word) ?? []), usual, long, usual.replace(/v/g, "w"), usual.replace(/sh/g, "s")]
}

/** @param isLong "ee" and "oo" for the long vowels */
function romanize(syllables: readonly Syllable[], isLong: boolean): string {
  const spelled = syllables.map(({ consonants, vowel, after }, at) => {
    const written = isLong ? (LONG[vowel ?? ""] ?? vowel) : vowel?.toLowerCase()
    return consonants + (written ?? (isPronounced(syllables, at) ? "a" : "")) + after
  })
  return spelled
    .join("")
    .toLowerCase()
    .replace(/n(?=[pbm])/g, "m")
}

/** The inherent vowel is mute at the end of a word, unless a cluster needs it, and between two pronounced vowels. */
function isPronounced(syllables: readonly Syllable[], at: number): boolean {
  const next = syllables[at + 1]
  if (!next) return at === 0 || syllables[at]!.consonants.length > 2
  if (at === 0) return true
  const before = syllables[at - 1]!
  const endsSoon = at + 2 === syllables.length
  return !(before.after === "" && next.vowel !== null && endsSoon && syllables[at]!.consonants.length === 1)
}

function readSyllables(word: string): Syllable[] {
  const syllables: { consonants: string; vowel: string | null; after: string }[] = []
  let joins = false
  for (const letter of word) {
    const code = letter.codePointAt(0)!
    const last = syllables.at(-1)
    if (code >= 0x0905 && code <= 0x0914) syllables.push({ consonants: "", vowel: VOWELS[code - 0x0905]!, after: "" })
    else if (code >= 0x0915 && code <= 0x0939) {
      const consonant = CONSONANTS[code - 0x0915] ?? ""
      if (joins && last) last.consonants += consonant
      else syllables.push({ consonants: consonant, vowel: null, after: "" })
      joins = false
    } else if (letter === VIRAMA) joins = true
    else if (code >= 0x093e && code <= 0x094c && last) last.vowel = SIGNS[code - 0x093e]!
    else if ((code === 0x0901 || code === 0x0902) && last) last.after = "n"
  }
  return syllables
}
