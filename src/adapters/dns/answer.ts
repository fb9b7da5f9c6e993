/** The value of each record type. Host names are lower case without the final dot; "." is the root. */
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

/** Why a lookup failed. A failure says nothing about the domain and never becomes a negative answer. */
export type DnsFailureReason =
  | "bad_name" // not a domain name in A-label form, never sent
  | "timeout"
  | "unreachable"
  | "http_status"
  | "content_type"
  | "too_large"
  | "malformed"
  | "mismatch" // the response belongs to another question
  | "unusable" // no record has valid data for its type
  | "truncated"
  | "servfail"
  | "refused"
  | "other_rcode"
  | "referral" // the server does not recurse
  | "cname_loop"
  | "disagreement" // one resolver denies records that another has
  | "unconfirmed" // one resolver denies the name, and no second one confirms it

export interface DnsFailure {
  readonly kind: "failure"
  readonly reason: DnsFailureReason
  /** For logs: the resolver and its error. */
  readonly detail: string
}

interface Found {
  /** 0 means: do not cache. */
  readonly ttlSeconds: number
  /** The queried name is an alias (CNAME), and the answer is that of its target. */
  readonly isAlias?: true
}

/** NXDOMAIN and NODATA (RFC 2308). */
export type NegativeAnswer = Negative<"no_data"> | Negative<"no_such_domain">

interface Negative<Kind> extends Found {
  readonly kind: Kind
  /** One of several resolvers gave this answer, and the caller needed no second one. */
  readonly isUnconfirmed?: true
}

interface Records<T extends RecordType> extends Found {
  readonly kind: "records"
  readonly records: readonly RecordTypes[T][]
}

export type DnsAnswer<T extends RecordType> = Records<T> | NegativeAnswer | DnsFailure

export function dnsFailure(reason: DnsFailureReason, detail: string): DnsFailure {
  return { kind: "failure", reason, detail }
}
