import { customarySpellings, replacer } from "./spelling-tables.ts"

const GREEK = "χ ch ου ou γγ ng γχ nch γξ nx"
const usualGreek = replacer(GREEK) // ELOT 743, with αυ, ευ and the initial digraphs below
const simpleGreek = replacer(`${GREEK} χ h υ i γκ g ει i`)
const oldGreek = replacer(`${GREEK} φ ph χ h η e`)

/** Romanizes a word in Greek, the most likely spelling first. */
export function romanizeGreek(word: string): string[] {
  const plain = word.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "").replace(/ς/g, "σ")
  const prepared = plain
    .replace(/^μπ/, "b")
    .replace(/^ντ/, "d")
    .replace(/^γκ/, "g")
    .replace(/([αεη])υ(?=[θκξπσφχψ]|$)/g, "$1f")
    .replace(/([αεη])υ/g, "$1v")
  return [
    ...(customarySpellings("Greek", plain) ?? []),
    ...[usualGreek, simpleGreek, oldGreek].map((spell) => spell(prepared)),
  ]
}

const RUSSIAN = "ё e х kh ц ts ї i є e ґ g ћ c џ dz"
const usualRussian = replacer(`${RUSSIAN} ий y ый y ия ia ья ya ье ie ьё yo ьи yi`)
const passport = replacer(`${RUSSIAN} ю iu я ia й i ъ ie`) // ICAO Doc 9303, as in Russian passports
const simpleRussian = replacer(`${RUSSIAN} х h кс x ий iy ия iya ё yo щ sch`)

const UKRAINIAN = `${RUSSIAN} г h и y й i є ie ю iu я ia зг zgh`
const ukrainian = replacer(UKRAINIAN) // resolution 55 of 2010; its initial forms below
const ukrainianUsual = replacer(`${UKRAINIAN} є ye ю yu я ya ія ia ій iy й y ий y`)
const ukrainianByRussian = replacer(`${UKRAINIAN} г g ій iy є e ю yu я ya ія ia й y ий iy`)
const ukrainianInitial = replacer("є ye ї yi й y ю yu я ya")

const serbian = replacer(`${RUSSIAN} ч c ш s ж z х h ц c`)
const bulgarian = replacer(`${RUSSIAN} щ sht ъ a х h й y ия ia`)

/** Romanizes a word in Cyrillic, the most likely spelling first. Letters of a single language identify it. */
export function romanizeCyrillic(word: string): string[] {
  const lower = word.toLowerCase().replace(/[ʼ’']/g, "")
  const customary = customarySpellings("Cyrillic", lower) ?? []
  // Russian has "ский" without the soft sign.
  if (/[іїєґ]|[зсц]ьк/.test(lower)) {
    const prepared = ukrainianInitial(lower[0]!) + lower.slice(1)
    return [...customary, ukrainian(prepared), ukrainianUsual(prepared), ukrainianByRussian(prepared)]
  }
  if (/[јљњђћџѓќѕ]/.test(lower)) return [...customary, serbian(lower), usualRussian(lower)]
  if (/.ъ./.test(lower)) return [...customary, bulgarian(lower), usualRussian(lower)]
  return [...customary, usualRussian(lower), passport(lower), simpleRussian(lower)]
}

/** Consonants and independent vowels in the order of the Unicode block from U+0905. */
const DEVANAGARI_VOWELS = "a a i i u u ri l e e e ai o o o au".split(" ")
const CONSONANTS = "k kh g gh n ch chh j jh n t th d dh n t th d dh n n p ph b bh m y r r l l l v sh sh s h".split(" ")
/** Vowel signs from U+093E. */
const SIGNS = "a i I u U ri r e e e ai o o o au".split(" ")
/** Spellings of the long vowels, which capitals mark until the final spelling. */
const LONG: Readonly<Record<string, string>> = { I: "ee", U: "oo" }
const VIRAMA = "\u094d"

interface Syllable {
  consonants: string
  /** Null for the inherent vowel, which is not written. */
  vowel: string | null
  after: string
}

/** Romanizes a word in Devanagari like usual names: with short vowels, and without a mute "a". */
export function romanizeDevanagari(word: string): string[] {
  const syllables = readSyllables(word.normalize("NFD"))
  const usual = romanizeSyllables(syllables, false)
  const long = romanizeSyllables(syllables, true)
  return [
    ...(customarySpellings("Devanagari", word) ?? []),
    usual,
    long,
    usual.replace(/v/g, "w"),
    usual.replace(/sh/g, "s"),
  ]
}

/** @param isLong "ee" and "oo" for the long vowels */
function romanizeSyllables(syllables: readonly Syllable[], isLong: boolean): string {
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
  const syllables: Syllable[] = []
  let joins = false
  for (const letter of word) {
    const code = letter.codePointAt(0)!
    const last = syllables.at(-1)
    if (code >= 0x0905 && code <= 0x0914)
      syllables.push({ consonants: "", vowel: DEVANAGARI_VOWELS[code - 0x0905]!, after: "" })
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

const HANGUL_INITIALS = "g kk n d tt r m b pp s ss  j jj ch k t p h".split(" ")
const HANGUL_VOWELS = "a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i".split(" ")
const HANGUL_FINALS = " k k k n n n t l k m l l l p l m p p t t ng t t k t p t".split(" ")
const FIRST_SYLLABLE = 0xac00
const LAST_SYLLABLE = 0xd7a3

/** Romanizes a word in Hangul by the Revised Romanization of 2000, and by customary spellings. */
export function romanizeHangul(word: string, kind: "first" | "last"): string[] {
  const family = (kind === "last" && customarySpellings("Korean-last", word)) || []
  const syllables = [...word.normalize("NFC")]
  const official = syllables.map(officialSyllable).join("")
  const customary = syllables
    .map((syllable) => customarySpellings("Korean-syllables", syllable)?.[0] ?? officialSyllable(syllable))
    .join("")
  return [...family, official, customary]
}

function officialSyllable(syllable: string): string {
  const code = syllable.codePointAt(0)!
  if (code < FIRST_SYLLABLE || code > LAST_SYLLABLE) return ""
  const index = code - FIRST_SYLLABLE
  const vowel = Math.floor(index / 28) % 21
  return HANGUL_INITIALS[Math.floor(index / 588)]! + HANGUL_VOWELS[vowel]! + HANGUL_FINALS[index % 28]!
}
