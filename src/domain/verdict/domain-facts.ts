import { DAY_MS } from "../time.ts"
import type { DomainFacts, FactName, MailRoute, MxHost, StoredFacts } from "./evidence.ts"

/** What the website of a domain showed. `error` is an answer of 400 or more, `none` is no web server. */
export const WEB_PRESENCES = ["live", "parked", "error", "none"] as const
export type WebPresenceKind = (typeof WEB_PRESENCES)[number]

/** Whether a domain has a mail host. */
export function hasMailHost(route: MailRoute): route is Extract<MailRoute, { hosts: readonly MxHost[] }> {
  return route.kind === "mx" || route.kind === "implicit_mx"
}

/** The domain has MX records, but none with a host name. */
export function hasOnlyEmptyMx(route: MailRoute): boolean {
  return route.kind === "dns_failure" && route.reason === "unusable"
}

/** At least one inspected mail host has an address, as far as DNS answered. An implicit MX counts (RFC 5321 §5.1). */
export function hasLiveMailHost({ route, exchangers }: Pick<DomainFacts, "route" | "exchangers">): boolean {
  return hasMailHost(route) && exchangers?.every(({ addresses }) => addresses?.length === 0) !== true
}

/**
 * Why a domain has a mail host, or has none. `implicit_mx`: its own address, without an MX record (RFC 5321 §5.1).
 * `null_mx`: it declares that it accepts no mail (RFC 7505). `none`: it has no mail host, or does not exist.
 */
export const MX_KINDS = ["mx", "implicit_mx", "null_mx", "none"] as const
export type MxKind = (typeof MX_KINDS)[number]

/** Null when DNS gave no answer. */
export function mxKindOf(route: MailRoute): MxKind | null {
  if (route.kind === "no_such_domain" || route.kind === "no_mail_host") return "none"
  if (route.kind !== "dns_failure") return route.kind
  return hasOnlyEmptyMx(route) ? "mx" : null
}

/** What the website of a domain showed; null when the check was not requested or gave no answer. */
export function webPresenceOf(domain: Pick<DomainFacts, "web"> | null): WebPresenceKind | null {
  const web = domain?.web
  if (!web) return null
  return web.parkedAt === null ? web.site : "parked"
}

/** Whole days from registration to a time; null without a date of registration. @param at Unix milliseconds */
export function domainAgeDays(domain: Pick<DomainFacts, "registration"> | null, at: number): number | null {
  const registration = domain?.registration
  if (registration?.kind !== "registered") return null
  return Math.max(0, Math.floor((at - registration.at) / DAY_MS))
}

/** The requested facts of a verification: null for an unknown fact; null as a whole without a route. */
export function assembleFacts(domain: string, known: StoredFacts, wanted: ReadonlySet<FactName>): DomainFacts | null {
  const route = known.route?.value
  if (!route) return null
  const names = [...wanted].filter((name) => known[name])
  const values = Object.fromEntries([...wanted].map((name) => [name, known[name]?.value ?? null]))
  const checkedAt = Object.fromEntries(names.map((name) => [name, known[name]!.checkedAt]))
  return { ...values, domain, route, checkedAt: { ...checkedAt, route: known.route.checkedAt } }
}

/** The requested facts from unexpired stored ones. @param now Unix ms */
export function freshFacts(
  domain: string,
  { stored, wanted, now }: { stored: StoredFacts | null; wanted: ReadonlySet<FactName>; now: number },
): DomainFacts | null {
  const fresh = Object.entries(stored ?? {}).filter(([, { expiresAt }]) => expiresAt > now)
  return assembleFacts(domain, Object.fromEntries(fresh), wanted)
}

/** Drops facts that were not requested. */
export function chooseFacts(facts: DomainFacts, wanted: ReadonlySet<FactName>): DomainFacts {
  const isOther = (name: string) => name === "domain" || name === "checkedAt" || name === "route"
  const chosen = Object.entries(facts).filter(([name]) => isOther(name) || wanted.has(name as FactName))
  return Object.fromEntries(chosen) as unknown as DomainFacts
}

/** Drops facts whose lookup failed, so that they are requested again. */
export function knownFacts(facts: DomainFacts): DomainFacts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null)) as unknown as DomainFacts
}

/** Fills unknown facts of an earlier verification from newer ones. */
export function fillFacts(before: DomainFacts, now: DomainFacts): DomainFacts {
  const names = (Object.keys(now.checkedAt) as FactName[]).filter((name) => before[name] == null)
  const values = Object.fromEntries(names.map((name) => [name, now[name]]))
  const checkedAt = Object.fromEntries(names.map((name) => [name, now.checkedAt[name]]))
  return { ...before, ...values, checkedAt: { ...before.checkedAt, ...checkedAt } }
}
