import type { DomainSet } from "./fuse-filter.ts"

/** An independent source: a list, or several lists that copy one another. */
export interface ListSourceVote {
  readonly name: string
  readonly domains: ReadonlySet<string>
  /** Its names that were observed at a service or reviewed, not copied. Missing: none. */
  readonly firstHand?: DomainSet
}

/** Returns the domains that at least `atLeast` sources contain. */
export function domainsInMost(voices: readonly ListSourceVote[], atLeast: number): Set<string> {
  const counts = new Map<string, number>()
  for (const { domains } of voices) for (const domain of domains) counts.set(domain, (counts.get(domain) ?? 0) + 1)
  return new Set([...counts].filter(([, count]) => count >= atLeast).map(([domain]) => domain))
}

/**
 * Names that state their purpose, such as temp-mail.world and trash-mail.ga. Public lists name 500 of them without a
 * first-hand voice, and none is another kind of domain. Of 15,000 domains of brands and sites, none matches.
 */
const STATES_PURPOSE =
  /throw-?away|(?:temp(?:orary)?|tmp|trash|disposable|fake|burner|[1-6]0-?min(?:ute)?s?)-?e?-?(?:mail|inbox|box)|(?:mail|inbox)-?(?:temp|trash|fake)|guerr?illa-?mail|mailinator|yopmail|wegwerf|jetable/

/**
 * Returns the domains that `atLeast` sources call disposable, with a first-hand voice among them. A name that states
 * its purpose needs none. Without a first-hand voice, all sources can repeat the mistake of one.
 */
export function confirmedDisposable(sources: readonly ListSourceVote[], atLeast: number): Set<string> {
  return new Set([...domainsInMost(sources, atLeast)].filter((domain) => isConfirmed(domain, sources)))
}

/** Whether a first-hand voice, or the name itself, says that the domain is disposable. */
export function isConfirmed(domain: string, sources: readonly ListSourceVote[]): boolean {
  return STATES_PURPOSE.test(domain) || sources.some(({ firstHand }) => firstHand?.has(domain))
}

/** Removes the domains whose parent is also in the set, because a lookup includes every parent. */
export function withoutChildren(domains: ReadonlySet<string>): Set<string> {
  return new Set([...domains].filter((domain) => !hasParentIn(domain, domains)))
}

/** Whether the set contains a parent of the domain. */
export function hasParentIn(domain: string, set: DomainSet): boolean {
  for (let dot = domain.indexOf("."); dot >= 0; dot = domain.indexOf(".", dot + 1)) {
    const parent = domain.slice(dot + 1)
    if (parent.includes(".") && set.has(parent)) return true
  }
  return false
}
