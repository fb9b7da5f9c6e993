import { lazySet } from "../reference/tables.ts"
import { firstNameLogOdds, isKnownName } from "./name-frequency.ts"
import { foldLatin } from "./spelling-tables.ts"

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
  const isVietnamese = given.length > 1 && VIETNAMESE_NAMES().has(foldedName(family[0]!.name))
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

/** Titles before a name, without dots. */
const TITLES = lazySet(`mr mrs ms miss mx sir dame lady lord madam dr drs doctor prof professor rev reverend fr hon
  judge capt captain col colonel gen general lt sgt maj major eng engr ing dipl mag mgr bc judr mudr mvdr phdr rndr paedr dott dottssa avv arq lic sr sra srta
  don dona herr frau monsieur mme mlle madame signor signora sig sheikh shaikh haji hajji hj ustadh rabbi pan pani shri
  smt kumari thiru dipl-ing dr-ing univ-prof phd hc med dent`)

/** Suffixes after a name, without dots. */
const SUFFIXES =
  lazySet(`jr sr ii iii iv v junior senior phd md mba msc bsc ba ma bs beng meng mphil esq cpa cfa pmp rn dds
  jd llm llb qc kc csc ing frm fca aca fcca acma obe mbe cbe kbe frcs frs mp pe pmp cissp csc mph dvm do dphil edd facp filho neto jnr snr pharmd`)

/** Particles of family names. */
const PARTICLES = lazySet(`van von der den de del della dello dei degli di da das do dos du des la le las los lo el
  al bin ibn bint ben bar abu abd st saint san santa ter ten te 't op zu zum zur vom auf af av y e i und ap ab mac mc o
  'd d' l' nic ní ni ua vande vander vanden`)

/** Portuguese particles. A name with one of them uses the last of several family names. */
const PORTUGUESE_PARTICLES = lazySet("da das do dos")

/** Common Vietnamese family names. Vietnamese people use their last given name. */
const VIETNAMESE_NAMES =
  lazySet(`nguyen tran le pham hoang huynh phan vu vo dang bui do ho ngo duong ly dinh trinh mai truong
  luong cao lam doan ta ton dao`)

/** The name in the URL of a public profile. */
interface ProfileName {
  readonly slug: string
  readonly firstName: string
  readonly lastName: string
  /** Suffix that the site adds to a taken name, or null. */
  readonly suffix: string | null
  /** Confidence in first and last name, 0 to 1. */
  readonly confidence: number
}

const PROFILE = /^(?:https?:\/\/)?(?:[a-z]{2,3}\.|www\.)?linkedin\.com\/(?:mwlite\/)?(?:in|pub)\/([^/?#]+)/i
const SLUG = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}%_-]{1,99}$/u
/** Hexadecimal or decimal digits after a name that was taken. */
const ADDED = /^(?=.*\d)[0-9a-f]{4,12}$|^\d{1,9}$/i
/** Job words that may follow a name. */
const NOT_NAMES = new Set(
  "official real mba phd cpa pmp cfa md ceo cto cfo hr dev consultant coach recruiter".split(" "),
)

/** Reads the name from a profile URL or its last part, without a network request. Null for any other text. */
export function readProfileSlug(input: string): ProfileName | null {
  const slug = decode(PROFILE.exec(input.trim())?.[1] ?? input.trim())
  if (slug === null || !SLUG.test(slug)) return null
  const parts = slug
    .toLowerCase()
    .split(/[-_]+/)
    .filter((part) => part !== "")
  const last = parts.at(-1) ?? ""
  const suffix = parts.length > 1 && ADDED.test(last) ? last : null
  const words = parts.slice(0, suffix === null ? undefined : -1).filter((part) => /^[\p{L}\p{M}]+$/u.test(part))
  const names = words.filter((word, at) => !isExtra(word, at === 0))
  if (names.length === 0) return null
  if (names.length === 1) return splitJoined(slug, names[0]!, suffix)
  const [first, ...rest] = names as [string, ...string[]]
  const isKnown = isKnownName(foldedName(first), "first")
  const isReversed =
    names.length === 2 && firstNameLogOdds(foldedName(first)) + 3 < firstNameLogOdds(foldedName(rest[0]!))
  const confidence = isKnown && !isReversed ? 0.95 : isReversed ? 0.6 : 0.8
  return { slug, firstName: capital(first), lastName: rest.map(capital).join(" "), suffix, confidence }
}

/** Splits "johnsmith" into two known names. */
function splitJoined(slug: string, word: string, suffix: string | null): ProfileName {
  const folded = foldedName(word)
  for (let at = folded.length - 3; at >= 3; at--)
    if (isKnownName(folded.slice(0, at), "first") && isKnownName(folded.slice(at), "last"))
      return { slug, firstName: capital(word.slice(0, at)), lastName: capital(word.slice(at)), suffix, confidence: 0.7 }
  const isFirst = firstNameLogOdds(folded) > 0
  const [firstName, lastName] = isFirst ? [capital(word), ""] : ["", capital(word)]
  return { slug, firstName, lastName, suffix, confidence: 0.3 }
}

function isExtra(word: string, isAhead: boolean): boolean {
  const folded = foldedName(word)
  return isAhead ? TITLES().has(folded) : SUFFIXES().has(folded) || NOT_NAMES.has(folded)
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text).normalize("NFC")
  } catch {
    return null
  }
}

function foldedName(word: string): string {
  return foldLatin(word)[0]!
}

function capital(word: string): string {
  const [head = "", ...rest] = word
  return head.toUpperCase() + rest.join("")
}
