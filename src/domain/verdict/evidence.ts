import type { MxAttempt, RecipientOutcome, SessionReport } from "../../../schema/wire/probe.ts"
import type { ParsedAddress } from "../address/parse.ts"
import type { ListClasses } from "../lists/classify.ts"
import type { RblFinding } from "../mail/rbl.ts"
import type { Bimi } from "../mail-auth/bimi.ts"
import type { Dkim } from "../mail-auth/dkim.ts"
import type { Dmarc } from "../mail-auth/dmarc.ts"
import type { MtaSts } from "../mail-auth/mta-sts.ts"
import type { Spf } from "../mail-auth/spf.ts"

/** Everything found out about an address, as found. Verdict and score are pure functions of it, so it can be re-scored. */
export interface Evidence {
  readonly address: ParsedAddress
  readonly lists: ListClasses
  /** Null for a malformed address, or when the wall came before DNS answered. */
  readonly domain: DomainFacts | null
  /** Null when no mail server was asked. */
  readonly mailbox: MailboxEvidence | null
  /** Whether the address has a Gravatar. Missing: not asked for; null in it: not answered. */
  readonly gravatar?: GravatarEvidence
  /** Why no mail server was asked although it should have been. */
  readonly probeProblem: "no_node" | "deadline" | null
  /** When a server that said "later" is asked again, Unix ms. */
  readonly nextCheckAt?: number | null
}

export interface GravatarEvidence {
  readonly found: boolean | null
  /** Unix milliseconds. */
  readonly checkedAt: number
}

/** What a probe node reported about one recipient, raw. */
export interface MailboxEvidence {
  readonly nodeId: string
  readonly region: string
  /** The node is an account's own: what it says is for that account only. */
  readonly isPrivate?: true
  /** Unix milliseconds. */
  readonly askedAt: number
  readonly outcome: RecipientOutcome
  /** The answer to a random sibling of the same domain; null when it was not asked. */
  readonly control: RecipientOutcome | null
  readonly session: SessionReport | null
  readonly attempts: readonly MxAttempt[]
  readonly totalMs: number
}

export interface MxHost {
  readonly host: string
  readonly preference: number
}

/** Where a domain's mail goes (RFC 5321 §5.1, RFC 7505), or why nowhere. Negatives are agreed by two resolvers. */
export type MailRoute =
  | { readonly kind: "mx"; readonly hosts: readonly MxHost[] }
  | { readonly kind: "implicit_mx"; readonly hosts: readonly MxHost[] }
  | { readonly kind: "null_mx" }
  | { readonly kind: "no_such_domain" }
  | { readonly kind: "no_mail_host" }
  | { readonly kind: "dns_failure"; readonly reason: string }

/** What stands behind the name of a mail host. */
export interface Exchanger {
  readonly host: string
  /** Addresses of the host; none: it is dead. Null when DNS gave no answer. */
  readonly addresses: readonly string[] | null
  /** The name is an alias, which RFC 2181 §10.3 forbids and some senders refuse. Null when it was not looked at. */
  readonly isAlias: boolean | null
}

/** Since when a domain is registered; `unknown` where its registry does not say. */
type Registration =
  | { readonly kind: "registered"; readonly at: number } // Unix milliseconds
  | { readonly kind: "unknown" }

/** The web site of a domain, and whether the domain is only parked. */
export interface WebPresence {
  readonly site: "live" | "error" | "none" // an answer, an answer of 400 or more, no web server at all
  /** HTTP status of the last answer; null without one. */
  readonly httpStatus: number | null
  readonly https: boolean
  /** The parking service, when the domain is with one. */
  readonly parkedAt: string | null
}

/** Every fact about a domain that is shared by its addresses, by name. */
export interface FactValues {
  readonly route: MailRoute
  /** The first hosts of the route, in its order. */
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

/** One fact as it is kept; null: it was asked for and could not be found out. Unix milliseconds. */
export interface Fact<Value> {
  readonly value: Value | null
  readonly checkedAt: number
  readonly expiresAt: number
}

/** The facts kept about a domain, each with its own freshness. */
export type KeptFacts = { readonly [Name in FactName]?: Fact<FactValues[Name]> }

/** The facts of a verification. Missing: not asked for. Null: not known, never a guess. */
export type DomainFacts = {
  readonly domain: string
  readonly route: MailRoute
  /** Unix milliseconds, of each fact. */
  readonly checkedAt: Readonly<Partial<Record<FactName, number>>>
} & { readonly [Name in Exclude<FactName, "route">]?: FactValues[Name] | null }
