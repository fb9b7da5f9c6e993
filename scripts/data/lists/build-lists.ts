import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { getDomain } from "tldts"
import { institutionOf, lookupNames } from "../../../src/domain/reference/classify.ts"
import { FREE_CORE } from "../../../src/domain/reference/free-data.ts"
import type { DomainSet } from "../../../src/domain/reference/fuse-filter.ts"
import {
  confirmedDisposable,
  domainsInMost,
  isTopLevelName,
  type ListSourceVote,
  refusalOf,
  withoutChildren,
} from "../../../src/domain/reference/public-lists.ts"
import { DISPOSABLE_CORE, HONEST_DOMAINS, RELAY_DOMAINS } from "../../../src/domain/reference/reviewed-domains.ts"
import { wordsOf } from "../../../src/domain/reference/tables.ts"
import type { ListSource } from "./sources.ts"

/** Families that must call a domain a free mail provider. */
const FREE_VOTES = 2
/**
 * Families that must call a domain disposable. A first-hand voice, which each name needs, is enough: here a person
 * reviews the change. A refresh at run time has no reviewer and needs two (UPDATE_LIMITS).
 */
const DISPOSABLE_VOTES = 1
/** Number of refused names printed for each reason. */
const SHOWN = 120

interface ReadSource {
  readonly source: ListSource
  readonly domains: ReadonlySet<string>
}

/** Merges the sources: one vote for each family, the allow-list over all, disposable over free. */
export function buildLists(read: readonly ReadSource[]) {
  const schools = schoolsOf(read)
  const providers = new Set([...FREE_CORE, ...HONEST_DOMAINS])
  const disposableVotes = votes(read, "disposable")
  const candidates = confirmedDisposable(disposableVotes, DISPOSABLE_VOTES)
  const judged = Map.groupBy(candidates, (domain) => refusalOf(domain, { providers, relays: RELAY_DOMAINS, schools }))
  const disposable = withoutChildren(new Set([...(judged.get(null) ?? []), ...DISPOSABLE_CORE]))
  for (const domain of DISPOSABLE_CORE) disposable.delete(domain)

  const free = freeOf(read, domainsInMost(disposableVotes, 1), schools)
  const topLevel = [...domainsInMost(votes(read, "top_level"), 1)].filter((name) => isTopLevelName(name)).sort()
  return {
    disposable: [...disposable].sort(),
    free,
    education: [...schools].sort(),
    topLevel,
    /** Names that must not be false positives of the packed disposable list. */
    honest: [...providers, ...RELAY_DOMAINS, ...free, ...schools],
    /** Names that must not be false positives of the packed education list. */
    notSchools: [...providers, ...free].filter((domain) => !schools.has(domain)),
    summary: [
      ...read.map(({ source, domains }) => `${source.lists} ${source.package} (${source.family}): ${domains.size}`),
      `disposable: ${domainsInMost(disposableVotes, 1).size} named, ${candidates.size} confirmed, ${disposable.size} packed, ${DISPOSABLE_CORE.size} in the core`,
      ...[...judged]
        .filter(([refusal]) => refusal !== null)
        .map(([refusal, names]) => `  refused as ${refusal}: ${names.length} ${names.slice(0, SHOWN).join(" ")}`),
      `free: ${free.length} beside ${FREE_CORE.size} in the core; education: ${schools.size}; top level: ${topLevel.length}`,
    ],
  }
}

/** One vote for each family of lists that copy each other. */
function votes(read: readonly ReadSource[], lists: ListSource["lists"]): ListSourceVote[] {
  const families = Map.groupBy(
    read.filter(({ source }) => source.lists === lists),
    ({ source }) => source.family,
  )
  return [...families].map(([name, members]) => ({
    name,
    domains: namesOf(members),
    firstHand: namesOf(members.filter(({ source }) => source.isFirstHand)),
  }))
}

function namesOf(sources: readonly ReadSource[]): Set<string> {
  return new Set(sources.flatMap(({ domains }) => [...domains]))
}

/** Registrable domains only: free-mail lists also name single hosts of companies ("docs.google.com"). */
function freeOf(
  read: readonly ReadSource[],
  namedDisposable: ReadonlySet<string>,
  schools: ReadonlySet<string>,
): string[] {
  const none = new Set<string>()
  const known = [namedDisposable, FREE_CORE, HONEST_DOMAINS, DISPOSABLE_CORE]
  return [...domainsInMost(votes(read, "free"), FREE_VOTES)]
    .filter((domain) => getDomain(domain) === domain && !known.some((set) => set.has(domain)))
    .filter((domain) => refusalOf(domain, { providers: none, relays: RELAY_DOMAINS, schools }) === null)
    .sort()
}

/** Education domains outside the suffixes that registries reserve for education. */
function schoolsOf(read: readonly ReadSource[]): Set<string> {
  const named = votes(read, "education").flatMap(({ domains }) => [...domains])
  const providers = new Set([...FREE_CORE, ...RELAY_DOMAINS, ...DISPOSABLE_CORE])
  const known = { providers, relays: new Set<string>(), schools: new Set<string>() }
  const isSchool = (domain: string) => institutionOf(domain) === null && refusalOf(domain, known) === null
  return withoutChildren(new Set(named.filter(isSchool)))
}

/** What a list of disposable domains finds, measured on names that no source of the lists chose. */
interface ListMeasure {
  readonly names: number
  /** Names of known services that the list lacks. */
  readonly missed: readonly string[]
  /** Domains of ordinary companies that the list calls disposable. */
  readonly mistaken: readonly string[]
}

/** The measured names: 300 of services, 2,000 of companies. */
const SERVICES = readNames("disposable-services.txt")
const COMPANIES = readNames("ordinary-companies.txt")

/** Looks up the known services and the ordinary companies by the list alone, parents included. */
export function measureDisposable(list: DomainSet & { readonly size: number }): ListMeasure {
  const isListed = (domain: string) => lookupNames(domain).some((name) => list.has(name))
  return {
    names: list.size,
    missed: SERVICES.filter((domain) => !isListed(domain)),
    mistaken: COMPANIES.filter(isListed),
  }
}

/** The lines of a table: names, recall and false positives of each list, then the names behind the figures. */
export function describeMeasures(measures: Readonly<Record<string, ListMeasure>>): string[] {
  const row = (cells: readonly (string | number)[]) => cells.map((cell) => String(cell).padStart(16)).join("")
  return [
    row(["disposable", "names", "recall", "mistaken"]),
    ...Object.entries(measures).map(([name, { names, missed, mistaken }]) => {
      const recall = `${SERVICES.length - missed.length} of ${SERVICES.length}`
      return row([name, names, recall, `${mistaken.length} of ${COMPANIES.length}`])
    }),
    ...Object.entries(measures).flatMap(([name, { missed, mistaken }]) => [
      `${name} misses: ${missed.join(" ")}`,
      `${name} mistakes: ${mistaken.join(" ")}`,
    ]),
  ]
}

function readNames(file: string): string[] {
  return wordsOf(readFileSync(fileURLToPath(new URL(`measured/${file}`, import.meta.url)), "utf8"))
}
