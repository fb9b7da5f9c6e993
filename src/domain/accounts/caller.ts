import type { Tier } from "../../../schema/vocabulary.ts"
import type { Allowance } from "../plans/tiers.ts"

/** Who is asking. `subject` is what credits are counted against; one account's keys share it. */
export type Caller = Anonymous | Member | Admin

export interface Anonymous {
  readonly kind: "anonymous"
  /** "ip:" and a keyed hash of the client's network: never the address itself. */
  readonly subject: string
  readonly allowance: Allowance
}

/** An account, by one of its keys or by a session. */
export interface Member {
  readonly kind: "member"
  readonly accountId: string
  /** Null for a session. */
  readonly keyId: string | null
  /** The proven address of a session's account; of a key, what its maker wrote; null while the store does not tell. */
  readonly email: string | null
  readonly tier: Tier
  readonly subject: string
  readonly allowance: Allowance
}

export interface Admin {
  readonly kind: "admin"
}

/** The account a caller acts for; null for strangers and the operator. */
export function accountOf(caller: Caller): string | null {
  return caller.kind === "member" ? caller.accountId : null
}

/** A name of who is asking, by which retries and questions that come again are told; one for the operator. */
export function subjectOf(caller: Caller): string {
  return caller.kind === "admin" ? "admin" : caller.subject
}
