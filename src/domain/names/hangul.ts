import { readSpellings } from "./spell-table.ts"

const INITIALS = ["g", "kk", "n", "d", "tt", "r", "m", "b", "pp", "s", "ss", "", "j", "jj", "ch", "k", "t", "p", "h"]
const VOWELS = "a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i".split(" ")
const FINALS = " k k k n n n t l k m l l l p l m p p t t ng t t k t p t".split(" ")
const FIRST_SYLLABLE = 0xac00
const LAST_SYLLABLE = 0xd7a3

/** Customary spellings of family names, which hardly ever follow the official romanization. */
const FAMILY_NAMES = readSpellings(`
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
const CUSTOMARY = readSpellings(`
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
  const family = kind === "last" ? FAMILY_NAMES.get(word) : undefined
  const syllables = [...word.normalize("NFC")]
  const official = syllables.map(officialSyllable).join("")
  const customary = syllables.map((syllable) => CUSTOMARY.get(syllable)?.[0] ?? officialSyllable(syllable)).join("")
  return [...(family ?? []), official, customary]
}

function officialSyllable(syllable: string): string {
  const code = syllable.codePointAt(0)!
  if (code < FIRST_SYLLABLE || code > LAST_SYLLABLE) return ""
  const index = code - FIRST_SYLLABLE
  const vowel = Math.floor(index / 28) % 21
  return INITIALS[Math.floor(index / 588)]! + VOWELS[vowel]! + FINALS[index % 28]!
}
