import ipaddr from "ipaddr.js"
import { isSpf } from "../../../schema/wire/spf-record.ts"
import type { Lookup, Records } from "./lookup.ts"

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

export interface DnsFacts {
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
