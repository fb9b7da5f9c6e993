import type { MxAttempt, RecipientOutcome, SessionReport } from "../../../schema/wire/probe.ts"
import type { ParsedAddress } from "../address/parse.ts"
import type { ListClasses } from "../lists/classify.ts"

/** Everything found out about an address, as found. Verdict and score are pure functions of it, so it can be re-scored. */
export interface Evidence {
  readonly address: ParsedAddress
  readonly lists: ListClasses
  /** Null for a malformed address, or when the wall came before DNS answered. */
  readonly domain: DomainFacts | null
  /** Null when no mail server was asked. */
  readonly mailbox: MailboxEvidence | null
  /** Why no mail server was asked although it should have been. */
  readonly probeProblem: "no_node" | "deadline" | null
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

/** Facts shared by every address of a domain. Null means not known, never a guess. */
export interface DomainFacts {
  readonly domain: string
  readonly route: MailRoute
  readonly spfValid: boolean | null
  readonly dkimPresent: boolean | null
  readonly dmarcPresent: boolean | null
  /** Unix milliseconds. */
  readonly checkedAt: number
}

/** What a probe node reported about one recipient, raw. */
export interface MailboxEvidence {
  readonly nodeId: string
  readonly region: string
  /** Unix milliseconds. */
  readonly askedAt: number
  readonly outcome: RecipientOutcome
  /** The answer to a random sibling of the same domain; null when it was not asked. */
  readonly control: RecipientOutcome | null
  readonly session: SessionReport | null
  readonly attempts: readonly MxAttempt[]
  readonly totalMs: number
}
