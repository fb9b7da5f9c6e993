import ipaddr from "ipaddr.js"
import type { Tier } from "../../../schema/vocabulary.ts"
import { hex } from "./crypto.ts"
import { cidrOf, type FormPolicy, type KeyRestrictions } from "./key-restrictions.ts"
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

/** The subject of rate limits: the account, or the network that created an unconfirmed key, which costs nothing. */
export function limitSubjectOf(caller: Caller): string {
  return (caller.kind === "member" && caller.createdBy) || subjectOf(caller)
}

/** The network of all clients without a known IP address. */
export const UNKNOWN_NETWORK = "unknown"

/** The network that counts as one client: an IPv4 address, or the /64 of an IPv6 address. */
export function clientNetwork(ip: string | undefined): string {
  if (!ip || !ipaddr.isValid(ip)) return UNKNOWN_NETWORK
  const address = ipaddr.process(ip)
  if (address.kind() === "ipv4") return address.toString()
  return `${hex(address.toByteArray().slice(0, 8))}/64`
}

/** The networks that one customer of a provider may hold, and how many times the limit of one client each of them has. */
const WIDER = [
  { bits: 56, times: 4 },
  { bits: 48, times: 16 },
]

/** All networks that count for a client, narrowest first. An IPv6 customer has many /64 (RFC 6177). */
export function clientNetworks(
  ip: string | undefined,
): readonly { readonly network: string; readonly times: number }[] {
  const narrowest = { network: clientNetwork(ip), times: 1 }
  if (!narrowest.network.endsWith("/64")) return [narrowest]
  const digits = narrowest.network.slice(0, 16)
  return [narrowest, ...WIDER.map(({ bits, times }) => ({ network: `${digits.slice(0, bits / 4)}/${bits}`, times }))]
}

/** Bits of the network that a person may see: about a provider's customers in one area, never one household. */
const COARSE_BITS = { ipv4: 24, ipv6: 48 }

/** The client's network as CIDR, cut to an IPv4 /24 or an IPv6 /48. Null for a client without a known IP address. */
export function coarseNetwork(ip: string | undefined): string | null {
  if (!ip || !ipaddr.isValid(ip)) return null
  const address = ipaddr.process(ip)
  return cidrOf(address, COARSE_BITS[address.kind()])
}
