import type { MxAttempt, RecipientOutcome, SessionReport } from "../../../schema/wire/probe.ts"
import type { Spf } from "../../../schema/wire/spf.ts"
import type { ParsedAddress } from "../address/parse.ts"
import type { ListClasses } from "../lists/classify.ts"
import type { RblFinding } from "../lists/rbl.ts"
import type { Dkim } from "../mail-auth/dkim.ts"
import type { Bimi, Dmarc, MtaSts } from "../mail-auth/policies.ts"

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

/** DNS facts about one MX host. */
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

/** The website of a domain, and whether the domain is parked. */
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
