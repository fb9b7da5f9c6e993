import { isRoleMailbox } from "../reference/role.ts"
import { firstNameLogOdds, isKnownName, shareOf } from "./name-frequency.ts"
import { type NameSpelling, spellingsOf } from "./name-variants.ts"
import { type PersonName, readName } from "./person-name.ts"

/**
 * The formats of personal local parts, in the usual notation. `{f}`, `{m}` and `{l}` are initials. A number limits the
 * length: `{first3}` is the first three letters. The most common format over all companies comes first.
 */
export const FORMATS = [
  "{first}.{last}",
  "{f}{last}",
  "{first}",
  "{first}{last}",
  "{first}{l}",
  "{f}.{last}",
  "{first}_{last}",
  "{last}",
  "{first}-{last}",
  "{last}.{first}",
  "{last}{f}",
  "{first}.{l}",
  "{last}{first}",
  "{f}_{last}",
  "{f}-{last}",
  "{last}.{f}",
  "{f}{l}",
  "{l}{first}",
  "{last}_{first}",
  "{last}-{first}",
  "{first}_{l}",
  "{first}-{l}",
  "{last}_{f}",
  "{last}-{f}",
  "{l}.{first}",
  "{l}{f}",
  "{f}.{l}",
  "{first}.{m}.{last}",
  "{f}{m}{last}",
  "{f}.{m}.{last}",
  "{first}{m}{last}",
  "{f}{m}{l}",
  "{first3}{last3}",
  "{f}{last7}",
  "{last7}{f}",
] as const
export type Format = (typeof FORMATS)[number]

/** A local part made from a name by a format, and its share of the name's spellings. */
export interface Rendered {
  readonly local: string
  readonly share: number
  /** The spellings of the names in it. */
  readonly first: string
  readonly last: string
  readonly middle: string
}

const NAME_OF = { f: "first", first: "first", l: "last", last: "last", m: "middle" } as const

const FIELD = /\{(first|last|f|l|m)(\d?)\}/g
const MAX_LOCAL = 64

/** Returns the names in a format, in their order, with the number of characters. It is 0 for the whole name. */
export function fieldsOf(format: Format) {
  return [...format.matchAll(FIELD)].map(([, field = "", length = ""]) => ({
    name: NAME_OF[field as keyof typeof NAME_OF],
    letters: field.length === 1 ? 1 : Number(length),
  }))
}

/** Returns the local parts for a name, the most likely first. Empty when the name lacks a part of the format. */
export function render(format: Format, spellings: readonly NameSpelling[]): Rendered[] {
  const made = new Map<string, Rendered>()
  for (const spelling of spellings)
    for (const rendered of renderSpelling(format, spelling)) {
      const before = made.get(rendered.local)
      made.set(rendered.local, before ? { ...before, share: before.share + rendered.share } : rendered)
    }
  return [...made.values()].toSorted((a, b) => b.share - a.share)
}

function renderSpelling(format: Format, { first, last, middle, share }: NameSpelling): Rendered[] {
  if (format.includes("{m}") && middle === "") return []
  // A part that the format omits does not split the share.
  const firsts = format.includes("{f") ? first : [{ text: first[0]!.text, share: 1 }]
  const lasts = format.includes("{l") ? last : [{ text: last[0]!.text, share: 1 }]
  return firsts.flatMap((given) =>
    lasts.flatMap((family) => {
      const names = { first: given.text, last: family.text, middle }
      const local = fill(format, names)
      // A local part has words with single separators.
      const isLocalPart = local.length <= MAX_LOCAL && /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/.test(local)
      return isLocalPart ? [{ ...names, local, share: share * given.share * family.share }] : []
    }),
  )
}

function fill(format: Format, names: Pick<Rendered, "first" | "last" | "middle">): string {
  return format.replace(FIELD, (_, field: keyof typeof NAME_OF, length: string) => {
    const text = names[NAME_OF[field]]
    if (field.length === 1) return text.slice(0, 1)
    return length === "" ? text : text.replace(/[^a-z]/g, "").slice(0, Number(length))
  })
}

/** An address of a domain, with its owner's name when known. */
export interface FormatSample {
  readonly localPart: string
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
}

/** Probability of each format for a local part. The sum is at most 1. */
export type FormatShares = ReadonlyMap<Format, number>

const NOTHING: FormatShares = new Map()
/** Without a known name, "a.b" is mostly the first name before the last name. */
const FIRST_BEFORE_LAST = Math.log(12)

/**
 * Returns the possible formats of a local part: by the owner's name when known, else by shape and name lists.
 * Empty for role mailboxes and for a local part without a format.
 */
export function inferFormats({ localPart, firstName, lastName }: FormatSample): FormatShares {
  const local = withoutNumber(localPart)
  if (local === "" || isRoleMailbox(local)) return NOTHING
  const { name } = readName(firstName ?? "", lastName ?? "")
  return name ? scale(sharesByName(local, name)) : byShape(local)
}

/** The local part in lower case, without its tag and a trailing number. */
function withoutNumber(localPart: string): string {
  return localPart
    .toLowerCase()
    .split("+")[0]!
    .replace(/(?<=[a-z])\d{1,4}$/, "")
}

function sharesByName(local: string, name: PersonName): (readonly [Format, number])[] {
  const spellings = spellingsOf(name, { spellsUmlautsOut: false })
  return FORMATS.flatMap((format) => {
    const share = render(format, spellings).find((rendered) => rendered.local === local)?.share ?? 0
    return share > 0 ? [[format, share] as const] : []
  })
}

function byShape(local: string): FormatShares {
  // A double name with the same separator is ambiguous.
  if (/^[a-z]{2,}\.[a-z]\.[a-z]{2,}$/.test(local)) return new Map([["{first}.{m}.{last}", 1]])
  if (/^[a-z]\.[a-z]\.[a-z]{2,}$/.test(local)) return new Map([["{f}.{m}.{last}", 1]])
  const [, head, separator = "", tail] = /^([a-z]+)(?:([._-])([a-z]+))?$/.exec(local) ?? []
  if (head === undefined) return NOTHING
  return tail === undefined ? ofOneWord(head) : ofTwoWords(head, separator, tail)
}

function ofTwoWords(head: string, separator: string, tail: string): FormatShares {
  const named = (first: string, last: string): Format | null =>
    FORMATS.find((format) => format === `${first}${separator}${last}`) ?? null
  const both = (ahead: Format | null, behind: Format | null, logOdds: number) => {
    const share = 1 / (1 + Math.exp(-logOdds))
    return scale([...(ahead ? [[ahead, share] as const] : []), ...(behind ? [[behind, 1 - share] as const] : [])])
  }
  if (head.length === 1 && tail.length === 1) return both(named("{f}", "{l}"), null, 0)
  if (head.length === 1) return both(named("{f}", "{last}"), named("{l}", "{first}"), 3 - firstNameLogOdds(tail))
  if (tail.length === 1) return both(named("{first}", "{l}"), named("{last}", "{f}"), firstNameLogOdds(head))
  const logOdds = FIRST_BEFORE_LAST + firstNameLogOdds(head) - firstNameLogOdds(tail)
  return both(named("{first}", "{last}"), named("{last}", "{first}"), logOdds)
}

/**
 * Rates every split of a word without separators by the frequency of the resulting names.
 * The frequency of the formats does not count here, because it is the prior of the domain.
 */
function ofOneWord(word: string): FormatShares {
  const weights = new Map<Format, number>()
  const add = (format: Format, weight: number) => weights.set(format, (weights.get(format) ?? 0) + weight)
  const weightOf = (text: string, kind: "first" | "last") => (text.length < 2 ? 0 : Math.sqrt(shareOf(text, kind)))
  add("{first}", weightOf(word, "first"))
  add("{last}", weightOf(word, "last"))
  add("{f}{last}", weightOf(word.slice(1), "last"))
  add("{l}{first}", weightOf(word.slice(1), "first"))
  add("{first}{l}", weightOf(word.slice(0, -1), "first"))
  add("{last}{f}", weightOf(word.slice(0, -1), "last"))
  if (word.length === 2) add("{f}{l}", 0.05)
  for (let at = 2; at <= word.length - 2; at++) {
    const [head, tail] = [word.slice(0, at), word.slice(at)]
    if (isKnownName(head, "first") && isLikelyFamilyName(tail)) add("{first}{last}", joint(head, tail))
    if (isLikelyFamilyName(head) && isKnownName(tail, "first")) add("{last}{first}", joint(tail, head))
  }
  return scale([...weights])
}

function joint(first: string, last: string): number {
  return Math.sqrt(Math.sqrt(shareOf(first, "first") * shareOf(last, "last")))
}

function isLikelyFamilyName(word: string): boolean {
  return word.length >= 3 && (isKnownName(word, "last") || word.length >= 5)
}

function scale(weights: readonly (readonly [Format, number])[]): FormatShares {
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
  return total === 0 ? NOTHING : new Map(weights.map(([format, weight]) => [format, weight / total]))
}

/** Returns the format that makes the local part from the name, or null. Ignores tags and trailing numbers. */
export function matchName(localPart: string, name: PersonName): { format: Format; share: number } | null {
  const [match] = sharesByName(withoutNumber(localPart), name)
  return match ? { format: match[0], share: match[1] } : null
}
