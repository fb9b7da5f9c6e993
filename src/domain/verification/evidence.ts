import type { MxAttempt, RecipientOutcome, SessionReport } from "../../../schema/wire/probe.ts"
import type { Spf } from "../../../schema/wire/spf.ts"
import type { ParsedAddress } from "../address/parse.ts"
import type { Bimi, Dkim, Dmarc, MtaSts } from "../dns/mail-auth.ts"
import { classifyAddress, type ListClasses } from "../reference/classify.ts"
import type { RblFinding } from "../reference/rbl.ts"
import { DAY_MS } from "../time.ts"

/** All raw findings about an address. Verdict and score are pure functions of it, so that it can be re-scored. */
export interface Evidence {
  readonly address: ParsedAddress
  readonly lists: ListClasses
  /** Null for a malformed address, or when the deadline passed before DNS answered. */
  readonly domain: DomainFacts | null
  /** Null when no mail server was probed. */
  readonly mailbox: MailboxEvidence | null
  /** Whether the address has a Gravatar. Missing: not requested. `found` is null without an answer. */
  readonly gravatar?: GravatarEvidence
  /** Services of the requested checks that this installation has not configured. Missing: it has all of them. */
  readonly notConfigured?: readonly OptionalService[]
  /** Why a required probe did not happen. */
  readonly probeProblem: "no_node" | "deadline" | null
  /** Time of the next recheck of a deferred address, Unix ms. */
  readonly nextCheckAt?: number | null
}

/** Evidence as it is stored. The address and the lists' classes are derived again when it is read. */
export type StoredEvidence = Omit<Evidence, "address" | "lists">

/** A check or fact whose service an operator may switch off. */
export type OptionalService = "gravatar" | "registration"

export interface GravatarEvidence {
  readonly found: boolean | null
  /** Unix milliseconds. */
  readonly checkedAt: number
}

/** The raw report of a probe node about one recipient. */
export interface MailboxEvidence {
  readonly nodeId: string
  readonly region: string
  /** The node is private to one account. Its report is for that account only. */
  readonly isPrivate?: true
  /** Unix milliseconds. */
  readonly askedAt: number
  readonly outcome: RecipientOutcome
  /** Outcome of the catch-all probe (a random recipient of the domain); null when it was not sent. */
  readonly control: RecipientOutcome | null
  readonly session: SessionReport | null
  readonly attempts: readonly MxAttempt[]
  readonly totalMs: number
}

export interface MxHost {
  readonly host: string
  readonly preference: number
}

/** The domain's mail route (RFC 5321 §5.1, RFC 7505), or why it has none. Two resolvers must agree on a negative. */
export type MailRoute =
  | { readonly kind: "mx"; readonly hosts: readonly MxHost[] }
  | { readonly kind: "implicit_mx"; readonly hosts: readonly MxHost[] }
  | { readonly kind: "null_mx" }
  | { readonly kind: "no_such_domain" }
  | { readonly kind: "no_mail_host" }
  | { readonly kind: "dns_failure"; readonly reason: string }

export interface Exchanger {
  readonly host: string
  /** Addresses of the host that mail can reach. Empty: the host is dead. Null: DNS did not answer. */
  readonly addresses: readonly string[] | null
  /** Whether the name is an alias, which RFC 2181 §10.3 forbids and some senders refuse. Null when not checked. */
  readonly isAlias: boolean | null
}

/** Registration date of a domain; `unknown` when the registry does not publish it. */
type Registration =
  | { readonly kind: "registered"; readonly at: number } // Unix milliseconds
  | { readonly kind: "unknown" }

export interface WebPresence {
  readonly site: "live" | "error" | "none" // an answer, an answer of 400 or more, no web server at all
  /** HTTP status of the last answer; null without one. */
  readonly httpStatus: number | null
  readonly https: boolean
  /** Name of the parking service; null when the domain is not parked. */
  readonly parkedAt: string | null
}

/** All facts about a domain that its addresses share, by name. */
export interface FactValues {
  readonly route: MailRoute
  /** The first hosts of the route, in order. */
  readonly exchangers: readonly Exchanger[]
  readonly spf: Spf
  readonly dkim: Dkim
  readonly dmarc: Dmarc
  readonly mtaSts: MtaSts
  readonly bimi: Bimi
  readonly registration: Registration
  readonly web: WebPresence
  readonly rbl: RblFinding
}
export type FactName = keyof FactValues

/** One stored fact; null when the lookup gave no answer. Unix milliseconds. */
export interface Fact<Value> {
  readonly value: Value | null
  readonly checkedAt: number
  readonly expiresAt: number
}

/** The stored facts of a domain, each with its own expiry. */
export type StoredFacts = { readonly [Name in FactName]?: Fact<FactValues[Name]> }

/** The facts of a verification. Missing: not requested. Null: unknown, never a guess. */
export type DomainFacts = {
  readonly domain: string
  readonly route: MailRoute
  /** Time of each fact, Unix milliseconds. */
  readonly checkedAt: Readonly<Partial<Record<FactName, number>>>
} & { readonly [Name in Exclude<FactName, "route">]?: FactValues[Name] | null }

/** The evidence about an address before any lookup. */
export function noEvidence(address: ParsedAddress): Evidence {
  return { address, lists: classifyAddress(address), domain: null, mailbox: null, probeProblem: null }
}

/** Earlier evidence for the current spelling of the address, by the active lists. */
export function forCurrentSpelling(before: StoredEvidence, address: ParsedAddress): Evidence {
  return { ...before, address, lists: classifyAddress(address) }
}

/** What the website of a domain showed. `error` is an answer of 400 or more, `none` is no web server. */
export const WEB_PRESENCES = ["live", "parked", "error", "none"] as const
export type WebPresenceKind = (typeof WEB_PRESENCES)[number]

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

/** The kind of a domain's mail route (RFC 5321 §5.1, RFC 7505). `none`: no mail host, or no such domain. */
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
