import type { DomainSet } from "./fuse-filter.ts"

/** One voice: a list, or several that copy one another, together. */
export interface Voice {
  readonly name: string
  readonly domains: ReadonlySet<string>
}

/** The domains at least `atLeast` voices agree on. */
export function agreed(voices: readonly Voice[], atLeast: number): Set<string> {
  const counts = new Map<string, number>()
  for (const { domains } of voices) for (const domain of domains) counts.set(domain, (counts.get(domain) ?? 0) + 1)
  return new Set([...counts].filter(([, count]) => count >= atLeast).map(([domain]) => domain))
}

/** Without the domains whose parent is there too: look-ups ask for every parent. */
export function withoutCovered(domains: ReadonlySet<string>): Set<string> {
  return new Set([...domains].filter((domain) => !isCovered(domain, domains)))
}

/** A parent of the domain is in the set. */
export function isCovered(domain: string, set: DomainSet): boolean {
  for (let dot = domain.indexOf("."); dot >= 0; dot = domain.indexOf(".", dot + 1)) {
    const parent = domain.slice(dot + 1)
    if (parent.includes(".") && set.has(parent)) return true
  }
  return false
}
