import { Resolver } from "node:dns/promises"
import ipaddr from "ipaddr.js"
import { isSpf } from "../../../schema/wire/spf-record.ts"

/** A DNS record that the service needs, and what is published now. */
export interface NeededRecord {
  readonly name: string
  readonly type: "A" | "AAAA" | "PTR" | "MX" | "TXT"
  /** The record's value, to paste. */
  readonly value: string
  /** The present values. Null: the query failed. */
  readonly found: Records
  readonly state: "ok" | "missing" | "differs" | "unknown"
  /** Who publishes it: the domain's DNS, or the provider of the address. */
  readonly at: "DNS of the domain" | "provider of the address"
}

interface DnsFacts {
  /** Public addresses of this machine. */
  readonly ips: readonly string[]
  /** Host name of BASE_URL. Null when it is not public. */
  readonly apiHost: string | null
  readonly heloName: string | null
  readonly mailFrom: string | null
  /** Addresses that the SPF record allows, by the node's full evaluation of it. */
  readonly allowedIps: readonly string[]
}

const ALL_TERM = / ([+?~-]?all|redirect=\S+)\b/i

/** The records that the service needs with these names and addresses, each compared with what DNS answers. */
export async function neededRecords(facts: DnsFacts, lookup: Lookup): Promise<NeededRecord[]> {
  const { ips, apiHost, heloName, mailFrom, allowedIps } = facts
  const refusedIps = ips.filter((ip) => !allowedIps.includes(ip))
  const domain = mailFrom?.split("@").at(-1) || null
  const hosts = [...new Set([apiHost, heloName].filter((name) => name !== null))]
  return Promise.all([
    ...hosts.flatMap((name) => ips.map((ip) => addressRecord(name, ip, lookup))),
    ...(heloName ? ips.map((ip) => reverseRecord(ip, heloName, lookup)) : []),
    ...(domain ? [mailRecord(domain, lookup), senderRecord(domain, refusedIps, lookup)] : []),
  ])
}

async function addressRecord(name: string, ip: string, lookup: Lookup): Promise<NeededRecord> {
  const type = ip.includes(":") ? "AAAA" : "A"
  const found = await lookup.records(name, type)
  const isThere = found?.some((one) => isSame(one, ip)) ?? false
  return { name, type, value: ip, found, state: stateOf(found, isThere), at: "DNS of the domain" }
}

async function reverseRecord(ip: string, heloName: string, lookup: Lookup): Promise<NeededRecord> {
  const found = await lookup.reverse(ip)
  const isThere = found?.some((one) => one.toLowerCase().replace(/\.$/, "") === heloName.toLowerCase()) ?? false
  return {
    name: ip,
    type: "PTR",
    value: heloName,
    found,
    state: stateOf(found, isThere),
    at: "provider of the address",
  }
}

async function mailRecord(domain: string, lookup: Lookup): Promise<NeededRecord> {
  const found = await lookup.records(domain, "MX")
  // "0 ." says that the domain accepts no mail (RFC 7505).
  const isThere = found?.some((one) => !/^\d+ \.?$/.test(one)) ?? false
  const value = isThere ? found!.join(", ") : "10 (the host that receives your mail)"
  return { name: domain, type: "MX", value, found, state: stateOf(found, isThere), at: "DNS of the domain" }
}

/** SPF. The node's check evaluates the whole record. Here a missing term is added to the present record. */
async function senderRecord(domain: string, ips: readonly string[], lookup: Lookup): Promise<NeededRecord> {
  const texts = await lookup.records(domain, "TXT")
  const found = texts?.filter(isSpf) ?? null
  const value = withTerms(found?.[0] ?? null, ips)
  const state = found === null ? "unknown" : found.length === 0 ? "missing" : value === found[0] ? "ok" : "differs"
  return { name: domain, type: "TXT", value, found, state, at: "DNS of the domain" }
}

/** Adds a term for each address that no ip4 or ip6 term of the record covers, in front of its last term. */
export function withTerms(record: string | null, ips: readonly string[]): string {
  const terms = ips.filter((ip) => !covers(record ?? "", ip)).map((ip) => `${ip.includes(":") ? "ip6" : "ip4"}:${ip}`)
  if (record === null) return ["v=spf1", "mx", ...terms, "-all"].join(" ")
  if (terms.length === 0) return record
  const end = ALL_TERM.exec(record)
  if (!end) return [record, ...terms].join(" ")
  return `${record.slice(0, end.index)} ${terms.join(" ")}${record.slice(end.index)}`
}

function covers(record: string, ip: string): boolean {
  const address = ipaddr.process(ip)
  return [...record.matchAll(/ \+?ip[46]:(\S+)/gi)].some(([, network = ""]) => {
    const whole = network.includes("/") ? network : `${network}/${network.includes(":") ? 128 : 32}`
    if (!ipaddr.isValidCIDR(whole)) return false
    const [range, length] = ipaddr.parseCIDR(whole)
    return range.kind() === address.kind() && address.match(range, length)
  })
}

const isSame = (one: string, other: string) =>
  ipaddr.isValid(one) && ipaddr.process(one).toNormalizedString() === ipaddr.process(other).toNormalizedString()

function stateOf(found: Records, isThere: boolean): NeededRecord["state"] {
  if (found === null) return "unknown"
  if (isThere) return "ok"
  return found.length === 0 ? "missing" : "differs"
}

/** The records as a table to paste from. A record that is right shows no present value. */
export function recordTable(records: readonly NeededRecord[]): string {
  const width = (of: (record: NeededRecord) => string) => Math.max(...records.map((record) => of(record).length)) + 2
  const [names, types] = [width(({ name }) => name), width(({ type }) => type)]
  return records
    .map(({ state, name, type, value, found, at }) => {
      const text = type === "TXT" ? `"${value}"` : value
      const now = state === "differs" ? `   now: ${found!.join(", ")}` : ""
      const where = state !== "ok" && at !== "DNS of the domain" ? `   at the ${at}` : ""
      return `${state.padEnd(9)}${name.padEnd(names)}${type.padEnd(types)}${text}${now}${where}`
    })
    .join("\n")
}

const WAIT_MS = 2_500

/** Records as text. Null: the query failed. An empty list: there are none. */
type Records = readonly string[] | null

/** DNS queries for the records that the operator publishes. Names have no final dot. */
export interface Lookup {
  records(name: string, type: "A" | "AAAA" | "MX" | "TXT"): Promise<Records>
  /** Reverse names of an address. */
  reverse(ip: string): Promise<Records>
  /** The number of the autonomous system that announces an address. Null when it is unknown. */
  asn(ip: string): Promise<number | null>
}

/** @param server IP address and port of the resolver, as in PROBE_DNS. Without it, the system's resolver */
export function createLookup(server: string | undefined): Lookup {
  const resolver = new Resolver({ timeout: WAIT_MS, tries: 2 })
  if (server) resolver.setServers([server])
  return {
    records(name, type) {
      if (type === "A") return found(resolver.resolve4(name))
      if (type === "AAAA") return found(resolver.resolve6(name))
      if (type === "TXT") return found(resolver.resolveTxt(name).then((rows) => rows.map((parts) => parts.join(""))))
      return found(
        resolver.resolveMx(name).then((rows) => rows.map(({ priority, exchange }) => `${priority} ${exchange}`)),
      )
    },
    reverse: (ip) => found(resolver.resolvePtr(`${labelsOf(ip)}.${isIpv6(ip) ? "ip6" : "in-addr"}.arpa`)),
    async asn(ip) {
      // Team Cymru's origin zones answer "13335 | 1.1.1.0/24 | AU | apnic | 2011-08-11".
      const zone = isIpv6(ip) ? "origin6.asn.cymru.com" : "origin.asn.cymru.com"
      const rows = await found(
        resolver.resolveTxt(`${labelsOf(ip)}.${zone}`).then((all) => all.map((one) => one.join(""))),
      )
      return Number(/^\d+/.exec(rows?.[0] ?? "")?.[0]) || null
    },
  }
}

const isIpv6 = (ip: string) => ip.includes(":")

/** The labels of an address in reverse order, as PTR records and origin zones use them. */
function labelsOf(ip: string): string {
  const bytes = ipaddr.parse(ip).toByteArray()
  if (bytes.length === 4) return bytes.reverse().join(".")
  return [...bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")].reverse().join(".")
}

async function found(pending: Promise<readonly string[]>): Promise<Records> {
  try {
    return await pending
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === "ENOTFOUND" || code === "ENODATA" ? [] : null
  }
}
