import { referenceWords } from "../reference-data.ts"
import { COMMON_FIRST_NAMES, COMMON_LAST_NAMES } from "./census-names.ts"
import { wordsOf } from "./word-list.ts"

/** Share of people with a listed name that is not frequent in a census, and with an unlisted name. */
const KNOWN_SHARE = 0.0003
const UNKNOWN_SHARE = 0.00003

type Kind = "first" | "last"

const tables: Partial<Record<Kind, ReadonlyMap<string, number>>> = {}

/**
 * Returns the share of people with a name, as an order of magnitude.
 * @param name folded to ASCII, lower-case
 */
export function shareOf(name: string, kind: Kind): number {
  return tableOf(kind).get(name) ?? UNKNOWN_SHARE
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
