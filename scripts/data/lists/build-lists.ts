import { getDomain } from "tldts"
import { DISPOSABLE_CORE } from "../../../src/domain/lists/disposable-data.ts"
import { FREE_CORE } from "../../../src/domain/lists/free-data.ts"
import { refusalOf } from "../../../src/domain/lists/guard.ts"
import { HONEST_DOMAINS } from "../../../src/domain/lists/honest-data.ts"
import { institutionOf } from "../../../src/domain/lists/institution.ts"
import { isTopLevelName } from "../../../src/domain/lists/list-text.ts"
import { domainsInMost, type ListSourceVote, withoutChildren } from "../../../src/domain/lists/merge.ts"
import { RELAY_DOMAINS } from "../../../src/domain/lists/relay-data.ts"
import type { ListSource } from "./sources.ts"

const VOICES_NEEDED = 2
/** Country codes that anyone can register cheaply. The free ones (tk, ml, ga, cf, gq) lost their names by 2024. */
const OPEN_COUNTRIES = /\.(cc|pw|ru|su|us)$/
/** Number of refused names printed for each reason. */
const SHOWN = 120

interface ReadSource {
  readonly source: ListSource
  readonly domains: ReadonlySet<string>
}

export interface BuiltLists {
  readonly disposable: readonly string[]
  readonly free: readonly string[]
  readonly education: readonly string[]
  readonly topLevel: readonly string[]
  /** Names that must not be false positives of the packed disposable list. */
  readonly honest: readonly string[]
  /** Names that must not be false positives of the packed education list. */
  readonly notSchools: readonly string[]
  readonly summary: readonly string[]
}

/** Merges the sources: two votes or one first-hand source, the allow-list over all, disposable over free. */
export function buildLists(read: readonly ReadSource[]): BuiltLists {
  const schools = schoolsOf(read)
  const providers = new Set([...FREE_CORE, ...HONEST_DOMAINS])
  const disposableVoices = voices(read, "disposable")
  const candidates = disposableNames(read)
  const judged = Map.groupBy(candidates, (domain) => refusalOf(domain, { providers, relays: RELAY_DOMAINS, schools }))
  const disposable = withoutChildren(new Set([...(judged.get(null) ?? []), ...DISPOSABLE_CORE]))
  for (const domain of DISPOSABLE_CORE) disposable.delete(domain)

  const free = freeOf(read, domainsInMost(disposableVoices, 1), schools)
  const topLevel = [...domainsInMost(voices(read, "top_level"), 1)].filter((name) => isTopLevelName(name)).sort()
  const honest = [...providers, ...RELAY_DOMAINS, ...free, ...schools]
  return {
    disposable: [...disposable].sort(),
    free,
    education: [...schools].sort(),
    topLevel,
    honest,
    notSchools: [...providers, ...free].filter((domain) => !schools.has(domain)),
    summary: [
      ...read.map(({ source, domains }) => `${source.lists} ${source.package} (${source.family}): ${domains.size}`),
      `disposable: ${candidates.size} agreed, ${disposable.size} packed, ${DISPOSABLE_CORE.size} in the core`,
      ...[...judged]
        .filter(([refusal]) => refusal !== null)
        .map(([refusal, names]) => `  refused as ${refusal}: ${names.length} ${names.slice(0, SHOWN).join(" ")}`),
      `free: ${free.length} beside ${FREE_CORE.size} in the core; education: ${schools.size}; top level: ${topLevel.length}`,
    ],
  }
}

/** Two votes. An echoing source counts only for domains that honest users rarely have; engie.nl is not one of them. */
function disposableNames(read: readonly ReadSource[]): Set<string> {
  const seconded = domainsInMost(
    voices(read, "disposable", ({ echoes, family }) => echoes ?? family),
    VOICES_NEEDED,
  )
  const echoed = [...domainsInMost(voices(read, "disposable"), VOICES_NEEDED)].filter(
    (domain) => seconded.has(domain) || (getDomain(domain) === domain && isOpen(domain)),
  )
  const firstHand = read.filter(({ source }) => source.isFirstHand)
  return new Set([...domainsInMost(voices(firstHand, "disposable"), 1), ...echoed])
}

function isOpen(domain: string): boolean {
  return !/\.[a-z]{2}$/.test(domain) || OPEN_COUNTRIES.test(domain)
}

function voices(
  read: readonly ReadSource[],
  lists: ListSource["lists"],
  voiceOf = ({ family }: ListSource): string => family,
): ListSourceVote[] {
  const families = Map.groupBy(
    read.filter(({ source }) => source.lists === lists),
    ({ source }) => voiceOf(source),
  )
  return [...families].map(([name, members]) => ({
    name,
    domains: new Set(members.flatMap(({ domains }) => [...domains])),
  }))
}

/** Registrable domains only: free-mail lists also name single hosts of companies ("docs.google.com"). */
function freeOf(
  read: readonly ReadSource[],
  namedDisposable: ReadonlySet<string>,
  schools: ReadonlySet<string>,
): string[] {
  const none = new Set<string>()
  const known = [namedDisposable, FREE_CORE, HONEST_DOMAINS, DISPOSABLE_CORE]
  return [...domainsInMost(voices(read, "free"), VOICES_NEEDED)]
    .filter((domain) => getDomain(domain) === domain && !known.some((set) => set.has(domain)))
    .filter((domain) => refusalOf(domain, { providers: none, relays: RELAY_DOMAINS, schools }) === null)
    .sort()
}

/** Education domains outside the suffixes that registries reserve for education. */
function schoolsOf(read: readonly ReadSource[]): Set<string> {
  const named = voices(read, "education").flatMap(({ domains }) => [...domains])
  const providers = new Set([...FREE_CORE, ...RELAY_DOMAINS, ...DISPOSABLE_CORE])
  const none = new Set<string>()
  return withoutChildren(
    new Set(
      named.filter(
        (domain) =>
          institutionOf(domain) === null && refusalOf(domain, { providers, relays: none, schools: none }) === null,
      ),
    ),
  )
}
