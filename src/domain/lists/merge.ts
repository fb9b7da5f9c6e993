import type { DomainSet } from "./fuse-filter.ts"

/** An independent source: a list, or several lists that copy one another. */
export interface ListSourceVote {
  readonly name: string
  readonly domains: ReadonlySet<string>
}

/** Returns the domains that at least `atLeast` sources contain. */
export function domainsInMost(voices: readonly ListSourceVote[], atLeast: number): Set<string> {
  const counts = new Map<string, number>()
  for (const { domains } of voices) for (const domain of domains) counts.set(domain, (counts.get(domain) ?? 0) + 1)
  return new Set([...counts].filter(([, count]) => count >= atLeast).map(([domain]) => domain))
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
