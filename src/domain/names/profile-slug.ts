import { foldLatin } from "./latin-fold.ts"
import { firstNameLogOdds, isKnownName } from "./name-frequency.ts"
import { SUFFIXES, TITLES } from "./title-words.ts"

/** The name in the URL of a public profile. */
export interface ProfileName {
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
  const isKnown = isKnownName(foldLatin(first)[0]!, "first")
  const isReversed = names.length === 2 && firstNameLogOdds(fold(first)) + 3 < firstNameLogOdds(fold(rest[0]!))
  const confidence = isKnown && !isReversed ? 0.95 : isReversed ? 0.6 : 0.8
  return { slug, firstName: capital(first), lastName: rest.map(capital).join(" "), suffix, confidence }
}

/** Splits "johnsmith" into two known names. */
function splitJoined(slug: string, word: string, suffix: string | null): ProfileName {
  const folded = fold(word)
  for (let at = folded.length - 3; at >= 3; at--)
    if (isKnownName(folded.slice(0, at), "first") && isKnownName(folded.slice(at), "last"))
      return { slug, firstName: capital(word.slice(0, at)), lastName: capital(word.slice(at)), suffix, confidence: 0.7 }
  const isFirst = firstNameLogOdds(folded) > 0
  const [firstName, lastName] = isFirst ? [capital(word), ""] : ["", capital(word)]
  return { slug, firstName, lastName, suffix, confidence: 0.3 }
}

function isExtra(word: string, isAhead: boolean): boolean {
  const folded = fold(word)
  return isAhead ? TITLES().has(folded) : SUFFIXES().has(folded) || NOT_NAMES.has(folded)
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text).normalize("NFC")
  } catch {
    return null
  }
}

function fold(word: string): string {
  return foldLatin(word)[0]!
}

function capital(word: string): string {
  const [head = "", ...rest] = word
  return head.toUpperCase() + rest.join("")
}
