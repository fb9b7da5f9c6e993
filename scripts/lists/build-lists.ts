import { getDomain } from "tldts"
import { DISPOSABLE_CORE } from "../../src/domain/lists/disposable-data.ts"
import { FREE_CORE } from "../../src/domain/lists/free-data.ts"
import { refusalOf } from "../../src/domain/lists/guard.ts"
import { HONEST_DOMAINS } from "../../src/domain/lists/honest-data.ts"
import { institutionOf } from "../../src/domain/lists/institution.ts"
import { agreed, type Voice, withoutCovered } from "../../src/domain/lists/merge.ts"
import { RELAY_DOMAINS } from "../../src/domain/lists/relay-data.ts"
import type { ListSource } from "./sources.ts"

const VOICES_NEEDED = 2
/** Country codes sold to anybody for next to nothing. Those that were given away (tk, ml, ga, cf, gq) lost their names by 2024. */
const OPEN_COUNTRIES = /\.(cc|pw|ru|su|us)$/
/** Refused names printed for each reason. */
const SHOWN = 120

interface ReadSource {
  readonly source: ListSource
  readonly domains: ReadonlySet<string>
}

export interface BuiltLists {
  readonly disposable: readonly string[]
  readonly free: readonly string[]
  readonly education: readonly string[]
  /** Names the packed disposable list must not answer to by chance. */
  readonly honest: readonly string[]
  /** Names the packed education list must not answer to by chance. */
  readonly notSchools: readonly string[]
  readonly summary: readonly string[]
}

/** Merges the sources: two voices or one at first hand, the allow-list over all, disposable over free. */
export function buildLists(read: readonly ReadSource[]): BuiltLists {
  const schools = schoolsOf(read)
  const providers = new Set([...FREE_CORE, ...HONEST_DOMAINS])
  const disposableVoices = voices(read, "disposable")
  const candidates = disposableNames(read)
  const judged = Map.groupBy(candidates, (domain) => refusalOf(domain, { providers, relays: RELAY_DOMAINS, schools }))
  const disposable = withoutCovered(new Set([...(judged.get(null) ?? []), ...DISPOSABLE_CORE]))
  for (const domain of DISPOSABLE_CORE) disposable.delete(domain)

  const free = freeOf(read, agreed(disposableVoices, 1), schools)
  const honest = [...providers, ...RELAY_DOMAINS, ...free, ...schools]
  return {
    disposable: [...disposable].sort(),
    free,
    education: [...schools].sort(),
    honest,
    notSchools: [...providers, ...free].filter((domain) => !schools.has(domain)),
    summary: [
      ...read.map(({ source, domains }) => `${source.lists} ${source.package} (${source.family}): ${domains.size}`),
      `disposable: ${candidates.size} agreed, ${disposable.size} packed, ${DISPOSABLE_CORE.size} in the core`,
      ...[...judged]
        .filter(([refusal]) => refusal !== null)
        .map(([refusal, names]) => `  refused as ${refusal}: ${names.length} ${names.slice(0, SHOWN).join(" ")}`),
      `free: ${free.length} beside ${FREE_CORE.size} in the core; education: ${schools.size}`,
    ],
  }
}

/** Two voices; an echo counts as one only for what honest people seldom have (of engie.nl and the like it is none). */
function disposableNames(read: readonly ReadSource[]): Set<string> {
  const seconded = agreed(
    voices(read, "disposable", ({ echoes, family }) => echoes ?? family),
    VOICES_NEEDED,
  )
  const echoed = [...agreed(voices(read, "disposable"), VOICES_NEEDED)].filter(
    (domain) => seconded.has(domain) || (getDomain(domain) === domain && isOpen(domain)),
  )
  const firstHand = read.filter(({ source }) => source.isFirstHand)
  return new Set([...agreed(voices(firstHand, "disposable"), 1), ...echoed])
}

function isOpen(domain: string): boolean {
  return !/\.[a-z]{2}$/.test(domain) || OPEN_COUNTRIES.test(domain)
}

function voices(
  read: readonly ReadSource[],
  lists: ListSource["lists"],
  voiceOf = ({ family }: ListSource): string => family,
): Voice[] {
  const families = Map.groupBy(
    read.filter(({ source }) => source.lists === lists),
    ({ source }) => voiceOf(source),
  )
  return [...families].map(([name, members]) => ({
    name,
    domains: new Set(members.flatMap(({ domains }) => [...domains])),
  }))
}

/** Whole registrable domains only: lists of free mail name single hosts of companies ("docs.google.com"). */
function freeOf(
  read: readonly ReadSource[],
  namedDisposable: ReadonlySet<string>,
  schools: ReadonlySet<string>,
): string[] {
  const nobody = new Set<string>()
  const known = [namedDisposable, FREE_CORE, HONEST_DOMAINS, DISPOSABLE_CORE]
  return [...agreed(voices(read, "free"), VOICES_NEEDED)]
    .filter((domain) => getDomain(domain) === domain && !known.some((set) => set.has(domain)))
    .filter((domain) => refusalOf(domain, { providers: nobody, relays: RELAY_DOMAINS, schools }) === null)
    .sort()
}

/** Only what the registry's own names do not tell. */
function schoolsOf(read: readonly ReadSource[]): Set<string> {
  const named = voices(read, "education").flatMap(({ domains }) => [...domains])
  const providers = new Set([...FREE_CORE, ...RELAY_DOMAINS, ...DISPOSABLE_CORE])
  const none = new Set<string>()
  return withoutCovered(
    new Set(
      named.filter(
        (domain) =>
          institutionOf(domain) === null && refusalOf(domain, { providers, relays: none, schools: none }) === null,
      ),
    ),
  )
}
