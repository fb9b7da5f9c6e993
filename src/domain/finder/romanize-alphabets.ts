import { readSpellings, replacer } from "./spelling-tables.ts"

const GREEK_NAMES = readSpellings(`
γιωργοσ γεωργιοσ: giorgos george georgios
γιαννησ ιωαννησ: giannis yannis ioannis
αικατερινη κατερινα: katerina aikaterini ekaterini
αθανασιοσ: athanasios thanasis
`)

const GREEK_LETTERS = `α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s τ t υ y φ f χ ch ψ ps ω o
  ου ou γγ ng γχ nch γξ nx`
const usualGreek = replacer(GREEK_LETTERS) // ELOT 743, with αυ, ευ and the initial digraphs below
const simpleGreek = replacer(`${GREEK_LETTERS} χ h υ i γκ g ει i`)
const oldGreek = replacer(`${GREEK_LETTERS} φ ph χ h η e`)

/** Romanizes a word in Greek, the most likely spelling first. */
export function romanizeGreek(word: string): string[] {
  const plain = word
    .toLowerCase()
    .normalize("NFD")
    .replace(/\u0308/g, "\u00a8")
    .replace(/[\p{M}¨]/gu, "")
    .replace(/ς/g, "σ")
  const prepared = plain
    .replace(/^μπ/, "b")
    .replace(/^ντ/, "d")
    .replace(/^γκ/, "g")
    .replace(/([αεη])υ(?=[θκξπσφχψ]|$)/g, "$1f")
    .replace(/([αεη])υ/g, "$1v")
  return [...(GREEK_NAMES.get(plain) ?? []), ...[usualGreek, simpleGreek, oldGreek].map((spell) => spell(prepared))]
}

/** Names whose usual spelling follows no transliteration standard. */
const CYRILLIC_NAMES = readSpellings(`
александр: alexander alexandr aleksandr
олександр: oleksandr alexander alex
алексей: alexey alexei aleksey aleksei
александра: alexandra aleksandra
дмитрий: dmitry dmitriy dmitrii dmitri
юлия: yulia julia yuliya iuliia
юлія: yuliia yulia julia
екатерина: ekaterina katerina catherine
евгений: evgeny evgeniy yevgeny eugene
евгения: evgenia evgeniya eugenia
наталья наталия: natalia natalya nataliya
наталія: nataliia natalia
ксения: ksenia xenia kseniya
татьяна: tatiana tatyana
максим: maxim maksim maksym
петр пётр: petr peter pyotr
федор фёдор: fedor fyodor
юрий: yury yuri yuriy iurii
юрій: yurii yuriy yuri
виктор: viktor victor
виктория: victoria viktoria viktoriya
вікторія: viktoriia victoria viktoria
софия: sofia sofya sophia
сергій: serhii sergii serhiy sergiy
михайло: mykhailo mikhailo
володимир: volodymyr vladimir
дмитро: dmytro
микола: mykola
галина: galina halyna
щербаков: shcherbakov scherbakov sherbakov
`)

const RUSSIAN = `а a б b в v г g д d е e ё e ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch
  ш sh щ shch ъ - ы y ь - э e ю yu я ya і i ї i є e ґ g ў u ј j љ lj њ nj ђ dj ћ c џ dz ѓ gj ќ kj ѕ dz`
const usualRussian = replacer(`${RUSSIAN} ий y ый y ия ia ья ya ье ie ьё yo ьи yi`)
const passport = replacer(`${RUSSIAN} ю iu я ia й i ъ ie`) // ICAO Doc 9303, as in Russian passports
const simpleRussian = replacer(`${RUSSIAN} х h кс x ий iy ия iya ё yo щ sch`)

const UKRAINIAN = `${RUSSIAN} г h ґ g и y і i ї i й i є ie ю iu я ia зг zgh ь - ъ -`
const ukrainian = replacer(UKRAINIAN) // resolution 55 of 2010; its initial forms below
const ukrainianUsual = replacer(`${UKRAINIAN} є ye ю yu я ya ія ia ій iy й y ий y`)
const ukrainianByRussian = replacer(`${UKRAINIAN} г g ій iy є e ю yu я ya ія ia й y ий iy`)
const UKRAINIAN_INITIALS: Readonly<Record<string, string>> = { є: "ye", ї: "yi", й: "y", ю: "yu", я: "ya" }

const serbian = replacer(`${RUSSIAN} ч c ш s ж z х h ц c ћ c ђ dj џ dz`)
const bulgarian = replacer(`${RUSSIAN} щ sht ъ a х h й y ия ia`)

/** Romanizes a word in Cyrillic, the most likely spelling first. Letters of a single language identify it. */
export function romanizeCyrillic(word: string): string[] {
  const lower = word.toLowerCase().replace(/[ʼ’']/g, "")
  const customary = CYRILLIC_NAMES.get(lower) ?? []
  // Russian has "ский" without the soft sign.
  if (/[іїєґ]|[зсц]ьк/.test(lower)) {
    const initial = UKRAINIAN_INITIALS[lower[0]!]
    const spell = (by: (text: string) => string) => (initial ? initial + by(lower.slice(1)) : by(lower))
    return [...customary, ...[ukrainian, ukrainianUsual, ukrainianByRussian].map(spell)]
  }
  if (/[јљњђћџѓќѕ]/.test(lower)) return [...customary, serbian(lower), usualRussian(lower)]
  if (/.ъ./.test(lower)) return [...customary, bulgarian(lower), usualRussian(lower)]
  return [...customary, usualRussian(lower), passport(lower), simpleRussian(lower)]
}

const DEVANAGARI_NAMES = readSpellings(`
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
const DEVANAGARI_VOWELS = "a a i i u u ri l e e e ai o o o au".split(" ")
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
  const usual = romanizeSyllables(syllables, false)
  const long = romanizeSyllables(syllables, true)
  return [...(DEVANAGARI_NAMES.get(word) ?? []), usual, long, usual.replace(/v/g, "w"), usual.replace(/sh/g, "s")]
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
  const syllables: { consonants: string; vowel: string | null; after: string }[] = []
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

const HANGUL_INITIALS = [
  "g",
  "kk",
  "n",
  "d",
  "tt",
  "r",
  "m",
  "b",
  "pp",
  "s",
  "ss",
  "",
  "j",
  "jj",
  "ch",
  "k",
  "t",
  "p",
  "h",
]
const HANGUL_VOWELS = "a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i".split(" ")
const HANGUL_FINALS = " k k k n n n t l k m l l l p l m p p t t ng t t k t p t".split(" ")
const FIRST_SYLLABLE = 0xac00
const LAST_SYLLABLE = 0xd7a3

/** Customary spellings of family names, which hardly ever follow the official romanization. */
const KOREAN_FAMILY_NAMES = readSpellings(`
김: kim gim
이: lee yi rhee
박: park bak
최: choi choe
정: jung jeong chung
강: kang gang
조: cho jo
윤: yoon yun
장: jang chang
임: lim im rim
한: han
오: oh
서: seo suh
신: shin sin
권: kwon gwon
황: hwang
안: ahn an
송: song
류: ryu
유: yoo yu you
전: jeon jun chun
홍: hong
고: ko go koh
문: moon mun
양: yang
손: son sohn
배: bae
백: baek paik
허: heo hur huh
남: nam
심: shim sim
노: noh roh no
곽: kwak gwak
성: sung seong
주: joo ju
우: woo
구: koo gu
엄: eom um
`)

/** Usual spellings of syllables in given names, where they differ from the official ones. */
const KOREAN_NAMES = readSpellings(`
현: hyun
영: young
정: jung
성: sung
경: kyung
준: joon
우: woo
수: soo
희: hee
선: sun
주: joo
훈: hoon
석: suk
철: chul
범: bum
건: gun
규: kyu
기: ki
연: yeon
웅: woong
운: woon
은: eun
`)

/** Romanizes a word in Hangul by the Revised Romanization of 2000, and by customary spellings. */
export function romanizeHangul(word: string, kind: "first" | "last"): string[] {
  const family = kind === "last" ? KOREAN_FAMILY_NAMES.get(word) : undefined
  const syllables = [...word.normalize("NFC")]
  const official = syllables.map(officialSyllable).join("")
  const customary = syllables.map((syllable) => KOREAN_NAMES.get(syllable)?.[0] ?? officialSyllable(syllable)).join("")
  return [...(family ?? []), official, customary]
}

function officialSyllable(syllable: string): string {
  const code = syllable.codePointAt(0)!
  if (code < FIRST_SYLLABLE || code > LAST_SYLLABLE) return ""
  const index = code - FIRST_SYLLABLE
  const vowel = Math.floor(index / 28) % 21
  return HANGUL_INITIALS[Math.floor(index / 588)]! + HANGUL_VOWELS[vowel]! + HANGUL_FINALS[index % 28]!
}
