import { referenceWords } from "../reference-data.ts"
import { COMMON_FIRST_NAMES, COMMON_LAST_NAMES } from "./census-names.ts"
import { wordsOf } from "./word-list.ts"

/** Share of people with a listed name that is not frequent in a census, and with an unlisted name. */
const KNOWN_SHARE = 0.0003
const UNKNOWN_SHARE = 0.00003

type Kind = "first" | "last"

const tables: Partial<Record<Kind, ReadonlyMap<string, number>>> = {}

/** Prefixes that formats use: an initial, the first three letters, the first seven. */
export const PREFIX_LENGTHS = [1, 3, 7] as const

const prefixes: Partial<Record<Kind, ReadonlyMap<string, number>>> = {}

/**
 * Returns the share of people with a name, as an order of magnitude. It holds where the name is used: the shares of all
 * names add up to more than one, because no country uses all of them.
 * @param name folded to ASCII, lower-case
 */
export function shareOf(name: string, kind: Kind): number {
  return tableOf(kind).get(name) ?? UNKNOWN_SHARE
}

/**
 * Returns the share of people whose name begins like this, as an order of magnitude.
 * @param prefix folded to ASCII, lower-case, of one of the `PREFIX_LENGTHS`
 */
export function shareOfPrefix(prefix: string, kind: Kind): number {
  prefixes[kind] ??= prefixesOf(tableOf(kind))
  return prefixes[kind].get(prefix) ?? UNKNOWN_SHARE
}

/** Whether the lists contain the name. */
export function isKnownName(name: string, kind: Kind): boolean {
  return tableOf(kind).has(name)
}

/** Returns the natural log-odds of a first name against a family name. */
export function firstNameLogOdds(word: string): number {
  return Math.log(shareOf(word, "first") / shareOf(word, "last"))
}

/** Builds the table at first use, so that a Worker without name lookups does not pay for the lists. */
function tableOf(kind: Kind): ReadonlyMap<string, number> {
  const built = tables[kind]
  if (built) return built
  const [known, tiers] =
    kind === "first"
      ? (["names/Latin-first.txt", COMMON_FIRST_NAMES] as const)
      : (["names/Latin-last.txt", COMMON_LAST_NAMES] as const)
  const table = new Map(referenceWords(known).map((name) => [name, KNOWN_SHARE]))
  for (const [share, names] of tiers.toReversed()) for (const name of wordsOf(names)) table.set(name, share)
  tables[kind] = table
  return table
}

function prefixesOf(table: ReadonlyMap<string, number>): Map<string, number> {
  const total = [...table.values()].reduce((sum, share) => sum + share, 0)
  const shares = new Map<string, number>()
  for (const [name, share] of table)
    for (const prefix of new Set(PREFIX_LENGTHS.map((length) => name.slice(0, length))))
      shares.set(prefix, (shares.get(prefix) ?? 0) + share / total)
  return shares
}
