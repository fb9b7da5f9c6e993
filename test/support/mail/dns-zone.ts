import packet, { type Answer, type Packet } from "dns-packet"
import type { DnsAnswer, MxRecord, RecordType, RecordTypes } from "../../../src/adapters/dns/message.ts"
import type { Dns } from "../../../src/adapters/dns/resolver.ts"

type ZoneRecords = { readonly [T in RecordType]?: readonly RecordTypes[T][] }

/** The records of a name, or the failure of every query for it. */
export type ZoneEntry = ZoneRecords | "servfail" | "refused" | "timeout"

/** Names to records: `{ "example.test": { MX: [{ host: "mx.example.test", preference: 10 }] } }`. */
export type Zone = { readonly [name: string]: ZoneEntry }

export interface DnsZone extends Dns {
  /** Every query as `"MX example.test"`, in order. */
  readonly calls: string[]
  /** The zone as an RFC 8484 resolver: a `fetch` that answers GET and POST. */
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
}

export const ZONE_TTL = 300
export const NEGATIVE_TTL = 60
const RCODE = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const

/**
 * A fake DNS that behaves like a real one: an absent name is NXDOMAIN. A name without the requested type, or with only
 * names below it, is NODATA (RFC 8020). Aliases are followed.
 */
export function dnsZone(zone: Zone): DnsZone {
  const calls: string[] = []

  return {
    calls,
    async resolve<T extends RecordType>(name: string, type: T): Promise<DnsAnswer<T>> {
      calls.push(`${type} ${name}`)
      return answerFrom(zone, name, type)
    },
    async fetch(url, init) {
      const query = packet.decode(await queryBytes(url, init))
      const question = query.questions?.[0]
      if (!question) return new Response("no question", { status: 400 })
      calls.push(`${question.type} ${question.name}`)
      if (zone[question.name.toLowerCase()] === "timeout") return hang(init?.signal)
      return messageResponse(responseTo(zone, query))
    },
  }
}

/** Encodes a message as a resolver's HTTP answer. */
export function messageResponse(message: Packet): Response {
  return new Response(Uint8Array.from(packet.encode(message)), {
    headers: { "content-type": "application/dns-message" },
  })
}

/** The response of a correct resolver to `query`. */
export function responseTo(zone: Zone, query: Packet): Packet {
  const question = query.questions![0]!
  const { rcode, answers } = find(zone, question.name.toLowerCase(), question.type as RecordType)
  const negative =
    rcode === RCODE.NXDOMAIN || (rcode === RCODE.NOERROR && !answers.some(({ type }) => type === question.type))
  return {
    type: "response",
    id: query.id ?? 0,
    flags: packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | rcode,
    questions: [question],
    answers,
    authorities: negative ? [startOfAuthority(question.name)] : [],
  }
}

function find(
  zone: Zone,
  name: string,
  type: RecordType,
  answers: Answer[] = [],
): { rcode: number; answers: Answer[] } {
  const entry = zone[name]
  if (entry === "servfail") return { rcode: RCODE.SERVFAIL, answers: [] }
  if (entry === "refused" || entry === "timeout") return { rcode: RCODE.REFUSED, answers: [] }
  if (!entry) return { rcode: hasNamesBelow(zone, name) ? RCODE.NOERROR : RCODE.NXDOMAIN, answers }
  const alias = entry.CNAME?.[0]
  if (alias === undefined || type === "CNAME")
    return { rcode: RCODE.NOERROR, answers: [...answers, ...wireRecords(entry, name, type)] }
  const chain = [...answers, wireRecord(name, "CNAME", alias)]
  return chain.length > 20 ? { rcode: RCODE.NOERROR, answers: chain } : find(zone, alias, type, chain)
}

function hasNamesBelow(zone: Zone, name: string): boolean {
  return Object.keys(zone).some((other) => other.endsWith(`.${name}`))
}

function wireRecords(entry: ZoneRecords, name: string, type: RecordType): Answer[] {
  const records: readonly (string | MxRecord)[] = entry[type] ?? []
  return records.map((record) => wireRecord(name, type, record))
}

function wireRecord(name: string, type: RecordType, record: string | MxRecord): Answer {
  const base = { name, ttl: ZONE_TTL, class: "IN" as const }
  if (typeof record !== "string")
    return { ...base, type: "MX", data: { exchange: record.host, preference: record.preference } }
  if (type === "TXT") return { ...base, type, data: record.match(/.{1,255}/gs) ?? [""] }
  return { ...base, type: type as "A", data: record }
}

function startOfAuthority(name: string): Answer {
  const data = {
    mname: "ns.test",
    rname: "hostmaster.test",
    serial: 1,
    refresh: 1,
    retry: 1,
    expire: 1,
    minimum: NEGATIVE_TTL,
  }
  return { name: name.split(".").at(-1)!, type: "SOA", class: "IN", ttl: ZONE_TTL, data }
}

/** The answer that a DNS client derives from the zone's messages. */
function answerFrom<T extends RecordType>(zone: Zone, text: string, type: T): DnsAnswer<T> {
  const name = text.replace(/\.$/, "").toLowerCase()
  if (zone[name] === "timeout") return { kind: "failure", reason: "timeout", detail: "zone" }
  const { rcode, answers } = find(zone, name, type)
  if (rcode === RCODE.SERVFAIL) return { kind: "failure", reason: "servfail", detail: "zone" }
  if (rcode === RCODE.REFUSED) return { kind: "failure", reason: "refused", detail: "zone" }
  const alias = type !== "CNAME" && answers[0]?.type === "CNAME" ? { isAlias: true as const } : {}
  if (rcode === RCODE.NXDOMAIN) return { kind: "no_such_domain", ttlSeconds: NEGATIVE_TTL, ...alias }
  const owner = answers.find((answer) => answer.type === type)?.name
  const entry = owner === undefined ? undefined : zone[owner]
  const records = typeof entry === "object" ? (entry[type] as readonly RecordTypes[T][] | undefined) : undefined
  return records?.length
    ? { kind: "records", records, ttlSeconds: ZONE_TTL, ...alias }
    : { kind: "no_data", ttlSeconds: NEGATIVE_TTL, ...alias }
}

async function queryBytes(url: string, init?: RequestInit): Promise<Buffer> {
  const encoded = new URL(url).searchParams.get("dns")
  if (encoded !== null) return Buffer.from(encoded, "base64url")
  return Buffer.from(await new Response(init?.body ?? null).arrayBuffer())
}

function hang(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener("abort", () => reject(signal.reason))
  })
}
