import { transliterate } from "transliteration"
import { romanizeCyrillic, romanizeDevanagari, romanizeGreek, romanizeHangul } from "./romanize-alphabets.ts"
import { customarySpellings, foldLatin, replacer } from "./spelling-tables.ts"

/** Whether a word is a given name or a family name. Some scripts romanize them differently. */
type NameKind = "first" | "last"

/** Scripts with special romanization rules. The first that occurs in a word decides. */
const SCRIPTS: readonly (readonly [script: RegExp, romanize: (word: string, kind: NameKind) => readonly string[]])[] = [
  [
    /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
    (word, kind) => romanizeJapanese(word, kind) ?? romanizeChinese(word, kind),
  ],
  [/\p{Script=Hangul}/u, romanizeHangul],
  [/\p{Script=Cyrillic}/u, romanizeCyrillic],
  [/\p{Script=Greek}/u, romanizeGreek],
  [/\p{Script=Arabic}/u, romanizeArabic],
  [/\p{Script=Hebrew}/u, romanizeHebrew],
  [/\p{Script=Devanagari}/u, romanizeDevanagari],
  [/\p{Script=Latin}/u, foldLatin],
]

/** The Georgian national system of 2002, where it differs from the library. */
const georgian = replacer("თ t ფ p ქ k ღ gh ჩ ch ც ts ძ dz წ ts ხ kh")

/**
 * Returns the spellings of a name's word in an address: "a" to "z", with hyphens between separate syllables.
 * The most likely spelling comes first. Empty for a word without letters.
 */
export function romanize(word: string, kind: NameKind): string[] {
  const special = SCRIPTS.find(([script]) => script.test(word))
  // The library romanizes every character that the rules leave.
  const spellings = (special?.[1](word, kind) ?? [georgian(word)]).map((spelling) =>
    spelling
      .replace(/\P{ASCII}+/gu, (text) => transliterate(text))
      .toLowerCase()
      .replace(/[^a-z-]/g, "")
      .replace(/^-+|(?<!-)-+$/g, ""),
  )
  return [...new Set(spellings)].filter((text) => text !== "")
}

/** Unknown names lack their short vowels, which Arabic script omits. */
function romanizeArabic(word: string): readonly string[] {
  const plain = plainArabic(word)
  const bare = plain.replace(/^ال(?=..)/, "")
  const known = customarySpellings("Arabic", plain)
  if (known) return known
  const spelled = customarySpellings("Arabic", bare) ?? [skeleton(bare)]
  if (bare === plain) return spelled
  const articles = ["al", "el", "al-", "el-", ""]
  return articles.flatMap((article) => spelled.slice(0, 2).map((name) => article + name))
}

function plainArabic(word: string): string {
  return word
    .normalize("NFKC")
    .replace(/[\u0640\u064b-\u065f\u0670\u200c\u200d]/g, "")
    .replace(/[أإآٱ]/g, "ا")
    .replace(/ة/g, "ه")
    .replace(/[ىی]/g, "ي")
    .replace(/ک/g, "ك")
}

function skeleton(word: string): string {
  return transliterate(word)
    .toLowerCase()
    .replace(/@/g, "a")
    .replace(/[^a-z]/g, "")
    .replace(/aa+/g, "a")
    .replace(/^w(?=[^aeiou])/, "wa")
    .replace(/y$/, "i")
}

/** Unknown names lack their vowels, which Hebrew script omits. */
function romanizeHebrew(word: string): readonly string[] {
  const plain = word
    .normalize("NFC")
    .replace(/[\u0591-\u05c7]/g, "")
    .replace(/'/g, "׳")
  return customarySpellings("Hebrew", plain) ?? [plain]
}

/** Converts the library's Nihon-shiki romanization to Hepburn, which is usual in passports and addresses. */
const hepburn =
  replacer(`sya sha syu shu syo sho si shi tya cha tyu chu tyo cho ti chi tu tsu hu fu zya ja zyu ju zyo jo
  zi ji dya ja dyu ju dyo jo di ji du zu`)

/** Romanizes a word in kana, or a known Japanese name in kanji, to Hepburn. Null for any other word. */
function romanizeJapanese(word: string, kind: NameKind): readonly string[] | null {
  const known = customarySpellings(`Japanese-${kind}`, word)
  if (known) return known
  if (!/^[\p{Script=Hiragana}\p{Script=Katakana}ー]+$/u.test(word)) return null
  const exact = hepburn(
    spellKana(word)
      .toLowerCase()
      .replace(/[^a-z]/g, ""),
  )
  return [exact.replace(/ou|oo/g, "o").replace(/uu/g, "u"), exact]
}

/** Romanizes kana. A small ya, yu or yo replaces the vowel before it, which the library does not support. */
function spellKana(word: string): string {
  return [...word.matchAll(/(.)([ゃゅょャュョ])?/gu)]
    .map(([, kana = "", small]) => {
      const spelled = transliterate(kana)
      return small ? `${spelled.replace(/i$/, "")}${transliterate(small)}` : spelled
    })
    .join("")
}

/** Romanizes a word in Chinese characters to pinyin without tones, joined or with hyphens. */
function romanizeChinese(word: string, kind: NameKind): string[] {
  const customary = (kind === "last" && customarySpellings("Chinese-last", word)) || []
  const pinyin = transliterate(word).toLowerCase().replace(/ü/g, "v").trim().split(/\s+/)
  return [...customary, pinyin.join(""), pinyin.join("-")]
}
