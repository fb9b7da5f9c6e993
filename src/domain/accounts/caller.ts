import type { Tier } from "../../../schema/vocabulary.ts"
import type { FormPolicy, KeyRestrictions } from "./key-restrictions.ts"
import type { Allowance } from "./tiers.ts"

/** The caller of a request. Credits count against `subject`, which all keys of an account share. */
export type Caller = Anonymous | Member | Admin

export interface Anonymous {
  readonly kind: "anonymous"
  /** "ip:" and a keyed hash of the client's network: never the address itself. */
  readonly subject: string
  readonly allowance: Allowance
}

/** An account, authenticated by a key or a session. */
export interface Member {
  readonly kind: "member"
  readonly accountId: string
  /** Null for a session. */
  readonly keyId: string | null
  /** When the session began: a sign-in then proved the mailbox. Unix milliseconds. Missing for a key. */
  readonly signedInAt?: number
  /** Session: the key that requested its sign-in link. Missing for a key. */
  readonly signInKeyId?: string | null
  /** Session: the account's verified address. Key: the address its creator gave. Null while the store is unavailable. */
  readonly email: string | null
  readonly tier: Tier
  readonly subject: string
  /** The network that created an unconfirmed key. Missing for the other callers. */
  readonly createdBy?: string
  readonly allowance: Allowance
  /** What the key may do. Missing for a session and for a key without restrictions. */
  readonly restrictions?: KeyRestrictions
}

export interface Admin {
  readonly kind: "admin"
}

/** The caller's account; null for anonymous callers and the operator. */
export function accountOf(caller: Caller): string | null {
  return caller.kind === "member" ? caller.accountId : null
}

/** The policy of the caller's publishable key; null for every other caller. */
export function formPolicyOf(caller: Caller): FormPolicy | null {
  return (caller.kind === "member" && caller.restrictions?.form) || null
}

/** Identifies the caller of retried and repeated requests; one value for the operator. */
export function subjectOf(caller: Caller): string {
  return caller.kind === "admin" ? "admin" : caller.subject
}

/**
 * Whose minute and whose free work the caller uses: the account's, or those of the network that created an unconfirmed key,
 * because such keys cost nothing.
 */
export function limitSubjectOf(caller: Caller): string {
  return (caller.kind === "member" && caller.createdBy) || subjectOf(caller)
}
