import type { DomainFacts, FactName, KeptFacts, MailRoute, MxHost } from "./evidence.ts"

/** Whether a domain has a host to deliver to. */
export function hasMailHost(route: MailRoute): route is Extract<MailRoute, { hosts: readonly MxHost[] }> {
  return route.kind === "mx" || route.kind === "implicit_mx"
}

/** The domain has MX records, and no host name in any of them. */
export function namesNoHost(route: MailRoute): boolean {
  return route.kind === "dns_failure" && route.reason === "unusable"
}

/** At least one MX host looked at has an address, as far as DNS said. */
export function hasLiveMx({ route, exchangers }: Pick<DomainFacts, "route" | "exchangers">): boolean {
  return route.kind === "mx" && exchangers?.every(({ addresses }) => addresses?.length === 0) !== true
}

/** The facts wanted as facts of a verification, null where they are not known yet; null while the route is not known. */
export function assembleFacts(domain: string, known: KeptFacts, wanted: ReadonlySet<FactName>): DomainFacts | null {
  const route = known.route?.value
  if (!route) return null
  const names = [...wanted].filter((name) => known[name])
  const values = Object.fromEntries([...wanted].map((name) => [name, known[name]?.value ?? null]))
  const checkedAt = Object.fromEntries(names.map((name) => [name, known[name]!.checkedAt]))
  return { ...values, domain, route, checkedAt: { ...checkedAt, route: known.route.checkedAt } }
}

/** The same of stored facts that still hold. @param now Unix ms */
export function freshFacts(
  domain: string,
  { stored, wanted, now }: { stored: KeptFacts | null; wanted: ReadonlySet<FactName>; now: number },
): DomainFacts | null {
  const fresh = Object.entries(stored ?? {}).filter(([, { expiresAt }]) => expiresAt > now)
  return assembleFacts(domain, Object.fromEntries(fresh), wanted)
}

/** The same facts without those that were not asked for. */
export function chooseFacts(facts: DomainFacts, wanted: ReadonlySet<FactName>): DomainFacts {
  const isOther = (name: string) => name === "domain" || name === "checkedAt" || name === "route"
  const chosen = Object.entries(facts).filter(([name]) => isOther(name) || wanted.has(name as FactName))
  return Object.fromEntries(chosen) as unknown as DomainFacts
}

/** Facts of before, with what was not known then and is now. */
export function fillFacts(before: DomainFacts, now: DomainFacts): DomainFacts {
  const names = (Object.keys(now.checkedAt) as FactName[]).filter((name) => before[name] == null)
  const values = Object.fromEntries(names.map((name) => [name, now[name]]))
  const checkedAt = Object.fromEntries(names.map((name) => [name, now.checkedAt[name]]))
  return { ...before, ...values, checkedAt: { ...before.checkedAt, ...checkedAt } }
}
