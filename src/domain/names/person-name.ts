import { PARTICLES, PORTUGUESE_PARTICLES, SUFFIXES, TITLES } from "./title-words.ts"
import { isVietnameseFamilyName } from "./vietnamese.ts"

/** The words of a person's name, without titles and additions. Script and hyphens are preserved. */
export interface PersonName {
  /** At least one word. */
  readonly given: readonly string[]
  /** Family names with their particles. At least one. */
  readonly family: readonly FamilyName[]
  /** Selects the used given name, and the family name that comes first in an address. */
  readonly order: "usual" | "vietnamese" | "portuguese"
}

export interface FamilyName {
  readonly particles: readonly string[]
  readonly name: string
}

const MAX_WORDS = 6
const ASIDE = /\([^)]{0,100}\)|\[[^\]]{0,100}\]|"[^"]{0,100}"|„[^“]{0,100}“|“[^”]{0,100}”|«[^»]{0,100}»/gu
const APOSTROPHES = /['’ʼ`´ʻ‘]/gu
const NOT_NAME = /[^\p{L}\p{M}\s.-]/gu
/** Degrees, offices and companies after a comma, a bar or a spaced dash. */
const ADDITIONS = /(?:[,;|]|\s[-/]\s).*/s

/** Reads a name from form input. `given` or `name` is null when a part has no letters. */
export function readName(first: string, last: string): { given: string[] | null; name: PersonName | null } {
  const given = wordsOfName(first)
  const words = wordsOfName(last)
  const family = familyNames(words)
  if (given.length === 0) return { given: null, name: null }
  if (family.length === 0) return { given, name: null }
  const isPortuguese = words.some((word) => PORTUGUESE_PARTICLES().has(fold(word))) && family.length > 1
  const isVietnamese = given.length > 1 && isVietnameseFamilyName(family[0]!.name)
  const order = isVietnamese ? "vietnamese" : isPortuguese ? "portuguese" : "usual"
  return { given, name: { given, family, order } }
}

function wordsOfName(text: string): string[] {
  const words = text
    .normalize("NFKC")
    .replace(ASIDE, " ")
    .replace(APOSTROPHES, "")
    .replace(/[‐‑‒–—―]/gu, "-")
    .replace(/^\P{L}+/u, "")
    .replace(ADDITIONS, "")
    .replace(NOT_NAME, " ")
    .split(/\s+/)
    .filter((word) => /\p{L}/u.test(word))
  // Degrees such as "B.Sc." are recognized before the split at dots.
  const apart = withoutTitles(words).flatMap((word) => word.replace(/\.(?=\p{L}\p{L})/gu, ". ").split(" "))
  const names = withoutTitles(apart).map((word) => word.replace(/^[-.]+|(?<![-.])[-.]+$/g, ""))
  return names.filter((word) => word !== "").slice(0, MAX_WORDS)
}

/** Removes leading titles and trailing suffixes. A name of only such words stays: "Dean" and "Earl" are also names. */
function withoutTitles(words: readonly string[]): string[] {
  let from = 0
  while (from < words.length - 1 && TITLES().has(withoutDots(words[from]!))) from++
  let to = words.length
  while (to > from + 1 && SUFFIXES().has(withoutDots(words[to - 1]!))) to--
  return words.slice(from, to)
}

function withoutDots(word: string): string {
  return fold(word).replace(/\./g, "")
}

function familyNames(words: readonly string[]): FamilyName[] {
  const names: FamilyName[] = []
  let particles: string[] = []
  for (const [at, word] of words.entries())
    if (at < words.length - 1 && PARTICLES().has(fold(word))) particles.push(word)
    else {
      names.push({ particles, name: word })
      particles = []
    }
  return names
}

function fold(word: string): string {
  return word.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "").replace(/\.$/, "")
}
