import { Buffer } from "node:buffer"
import packet, { type Answer, type DecodedPacket } from "dns-packet"

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

/** A longer CNAME chain counts as a loop. */
const LONGEST_CHAIN = 16
const MAX_TTL = 0x7fff_ffff
const LABEL = /^[!-\-/-[\]-~]{1,63}$/

const RCODE = { noError: 0, servfail: 2, nxdomain: 3, refused: 5 } as const

/** Normalizes a name: lower case, no final dot. Null when it is not a valid wire name (RFC 1035 §3.1). */
export function questionName(text: string): string | null {
  const name = text.replace(/\.$/, "").toLowerCase()
  return name.length <= 253 && name.split(".").every((label) => LABEL.test(label)) ? name : null
}

/** A recursive query in wire format. The id is 0 (RFC 8484 §4.1); TLS protects against spoofed answers. */
export function encodeQuery(name: string, type: RecordType): Uint8Array<ArrayBuffer> {
  return new Uint8Array(
    packet.encode({ type: "query", id: 0, flags: packet.RECURSION_DESIRED, questions: [{ name, type, class: "IN" }] }),
  )
}

/** Reads the answer to the question (name, type) and rejects a response to any other question. Pure. */
export function readAnswer<T extends RecordType>(bytes: Uint8Array, name: string, type: T): DnsAnswer<T> {
  const message = decode(bytes)
  if (!message) return dnsFailure("malformed", "not a DNS message")
  return findProblem(message, name, type) ?? readSections(message, name, type)
}

/** The codec reads past the end of a truncated message without an error, so its end position is checked. */
function decode(bytes: Uint8Array): DecodedPacket | null {
  try {
    const message = packet.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    return packet.decode.bytes <= bytes.length ? message : null
  } catch {
    return null
  }
}

function findProblem(message: DecodedPacket, name: string, type: RecordType): DnsFailure | null {
  const { questions = [], flags = 0 } = message
  const question = questions[0]
  if (message.id !== 0 || !message.flag_qr || (flags & 0x7800) !== 0)
    return dnsFailure("mismatch", "not the response to a query with id 0")
  if (questions.length !== 1 || !question || !sameName(question.name, name))
    return dnsFailure("mismatch", "answers another name")
  if (question.type !== type || question.class !== "IN") return dnsFailure("mismatch", "answers another type")
  if (message.flag_tc) return dnsFailure("truncated", "TC bit set")
  const rcode = flags & 0xf
  if (rcode === RCODE.servfail) return dnsFailure("servfail", "SERVFAIL")
  if (rcode === RCODE.refused) return dnsFailure("refused", "REFUSED")
  if (rcode !== RCODE.noError && rcode !== RCODE.nxdomain) return dnsFailure("other_rcode", `rcode ${rcode}`)
  return null
}

function readSections<T extends RecordType>(message: DecodedPacket, name: string, type: T): DnsAnswer<T> {
  const answers = (message.answers ?? []).filter((answer) => "class" in answer && answer.class === "IN")
  const chain = followAliases(answers, name, type)
  if (!chain) return dnsFailure("cname_loop", `CNAME chain of ${name} does not end`)
  const found = answers.filter((answer) => answer.type === type && sameName(answer.name, chain.owner))
  const denied = ((message.flags ?? 0) & 0xf) === RCODE.nxdomain
  const alias = sameName(chain.owner, name) ? {} : { isAlias: true as const }
  if (found.length === 0) return readNegative(message, { denied, alias })
  if (denied) return dnsFailure("malformed", "NXDOMAIN with records")
  const records = found.map((answer) => readRecord(answer, type)).filter((record) => record !== null)
  if (records.length === 0) return dnsFailure("unusable", `no usable ${type} record`)
  return { kind: "records", records, ttlSeconds: Math.min(chain.ttlSeconds, ...found.map(ttlOf)), ...alias }
}

/** The name at the end of the CNAME chain that starts at `name` (RFC 1034 §3.6.2); null for a loop. */
function followAliases(answers: readonly Answer[], name: string, type: RecordType) {
  let owner = name
  let ttlSeconds = MAX_TTL
  if (type === "CNAME") return { owner, ttlSeconds }
  for (let length = 0; length <= LONGEST_CHAIN; length++) {
    const alias = answers.find((answer) => answer.type === "CNAME" && sameName(answer.name, owner))
    if (alias?.type !== "CNAME" || typeof alias.data !== "string") return { owner, ttlSeconds }
    owner = alias.data
    ttlSeconds = Math.min(ttlSeconds, ttlOf(alias))
  }
  return null
}

/** NXDOMAIN or NODATA with the cache time of the zone's SOA (RFC 2308 §5). NS without SOA is a referral (§2.2). */
function readNegative(
  message: DecodedPacket,
  { denied, alias }: { denied: boolean; alias: Pick<NegativeAnswer, "isAlias"> },
): NegativeAnswer | DnsFailure {
  const authorities = message.authorities ?? []
  const soa = authorities.find((authority) => authority.type === "SOA")
  if (!denied && !soa && authorities.some(({ type }) => type === "NS"))
    return dnsFailure("referral", "the server refers to others instead of answering")
  const ttlSeconds = soa ? Math.min(ttlOf(soa), soa.data.minimum ?? 0) : 0
  return { kind: denied ? "no_such_domain" : "no_data", ttlSeconds, ...alias }
}

/** A TTL with the top bit set counts as 0 (RFC 2181 §8). */
function ttlOf(answer: Answer): number {
  const ttl = "ttl" in answer ? (answer.ttl ?? 0) : 0
  return ttl > MAX_TTL ? 0 : ttl
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

/** A host name of letters, digits, hyphens and underscores: safe for a node, a log or a URL. */
const HOST = /^(?!.{254})[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/

/** The data of one record in the form of its type; null when the data is invalid. */
function readRecord<T extends RecordType>(answer: Answer, type: T): RecordTypes[T] | null {
  const readers: { [Type in RecordType]: (answer: Answer) => RecordTypes[Type] | null } = {
    A: text,
    AAAA: text,
    MX: mailExchange,
    TXT: joinedStrings,
    CNAME: hostName,
    PTR: hostName,
    NS: hostName,
  }
  return readers[type](answer)
}

function text(answer: Answer): string | null {
  return "data" in answer && typeof answer.data === "string" ? answer.data : null
}

function hostName(answer: Answer): string | null {
  return asHost(text(answer))
}

function mailExchange(answer: Answer) {
  if (answer.type !== "MX") return null
  const host = answer.data.exchange === "." ? "." : asHost(answer.data.exchange)
  return host === null ? null : { host, preference: answer.data.preference ?? 0 }
}

/** The strings are octets of one text, so a character may be split between two strings. */
function joinedStrings(answer: Answer): string | null {
  if (answer.type !== "TXT") return null
  const strings = Array.isArray(answer.data) ? answer.data : [answer.data]
  const decoder = new TextDecoder()
  return strings.map((part) => (typeof part === "string" ? part : decoder.decode(part, { stream: true }))).join("")
}

function asHost(name: string | null): string | null {
  const host = name?.toLowerCase() ?? ""
  return HOST.test(host) ? host : null
}
