/** One record of each type, as its users want it: host names in lower case without the final dot, "." for the root. */
export interface RecordTypes {
  A: string
  AAAA: string
  MX: MxRecord
  /** The character strings of one record joined without a space (RFC 7208 §3.3). */
  TXT: string
  CNAME: string
  PTR: string
  NS: string
}
export type RecordType = keyof RecordTypes

export interface MxRecord {
  readonly host: string
  readonly preference: number
}

/** Why a lookup has no answer. It says nothing about the domain: a negative answer is never made of these. */
export type DnsFailureReason =
  | "bad_name" // not a domain name in A-label form, never sent
  | "timeout"
  | "unreachable"
  | "http_status"
  | "content_type"
  | "too_large"
  | "malformed"
  | "mismatch" // answers another question
  | "unusable" // records, none of which holds what its type should
  | "truncated"
  | "servfail"
  | "refused"
  | "other_rcode"
  | "referral" // the server does not recurse
  | "cname_loop"
  | "disagreement" // one resolver denies what another one knows
  | "unconfirmed" // one resolver denies, no second one answers

export interface DnsFailure {
  readonly kind: "failure"
  readonly reason: DnsFailureReason
  /** For logs: which resolver, and what it did. */
  readonly detail: string
}

/** NXDOMAIN and NODATA (RFC 2308). A `ttlSeconds` of 0 means: do not keep. */
export type NegativeAnswer =
  | { readonly kind: "no_data"; readonly ttlSeconds: number }
  | { readonly kind: "no_such_domain"; readonly ttlSeconds: number }

interface Records<T extends RecordType> {
  readonly kind: "records"
  readonly records: readonly RecordTypes[T][]
  readonly ttlSeconds: number
}

export type DnsAnswer<T extends RecordType> = Records<T> | NegativeAnswer | DnsFailure

export function dnsFailure(reason: DnsFailureReason, detail: string): DnsFailure {
  return { kind: "failure", reason, detail }
}
