import { isRoleMailbox } from "../lists/role.ts"
import { firstNameLogOdds, isKnownName, shareOf } from "../names/name-frequency.ts"
import { spellingsOf } from "../names/name-variants.ts"
import { readName } from "../names/person-name.ts"
import { FORMATS, type Format, render } from "./formats.ts"

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
  const local = localPart
    .toLowerCase()
    .split("+")[0]!
    .replace(/(?<=[a-z])\d{1,4}$/, "")
  if (local === "" || isRoleMailbox(local)) return NOTHING
  const { name } = readName(firstName ?? "", lastName ?? "")
  return name ? byName(local, name) : byShape(local)
}

function byName(local: string, name: Parameters<typeof spellingsOf>[0]): FormatShares {
  const spellings = spellingsOf(name, { spellsUmlautsOut: false })
  const matches = FORMATS.flatMap((format) => {
    const share = render(format, spellings).find((rendered) => rendered.local === local)?.share ?? 0
    return share > 0 ? [[format, share] as const] : []
  })
  return scale(matches)
}

function byShape(local: string): FormatShares {
  const parts = /^([a-z]+)(?:([._-])([a-z]+))?$/.exec(local)
  if (!parts) return byThreeParts(local)
  const [, head = "", separator = "", tail] = parts
  return tail === undefined ? ofOneWord(head) : ofTwoWords(head, separator, tail)
}

/** Recognizes "first.m.last" and "f.m.last". A double name with the same separator is ambiguous and gives no format. */
function byThreeParts(local: string): FormatShares {
  if (/^[a-z]{2,}\.[a-z]\.[a-z]{2,}$/.test(local)) return new Map([["{first}.{m}.{last}", 1]])
  if (/^[a-z]\.[a-z]\.[a-z]{2,}$/.test(local)) return new Map([["{f}.{m}.{last}", 1]])
  return NOTHING
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
