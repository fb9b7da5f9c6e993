import type { MxRecord } from "node:dns"
import ipaddr from "ipaddr.js"
import type { DnsAnswer, DoctorDns } from "../../../probe-node/doctor/dns.ts"
import { reverseName } from "../../../schema/wire/addresses.ts"

export interface DoctorRecords {
  readonly A?: readonly string[]
  readonly AAAA?: readonly string[]
  readonly MX?: readonly string[]
  readonly TXT?: readonly string[]
  readonly PTR?: readonly string[]
}

/** Records by name, or by IP address for PTR. "down": queries for the name fail. */
export type DoctorZone = Readonly<Record<string, DoctorRecords | "down">>

/** A DNS fake for the doctor. `queried` lists the queries as "TXT a.test". */
export function doctorZone(zone: DoctorZone): DoctorDns & { readonly queried: string[] } {
  const queried: string[] = []
  const ips = Object.keys(zone).filter((name) => ipaddr.isValid(name))
  const ipOf = new Map(ips.map((ip) => [reverseName(ip), ip]))

  async function query<T>(name: string, type: keyof DoctorRecords, shape: (text: string) => T): Promise<DnsAnswer<T>> {
    queried.push(`${type} ${name}`)
    const entry = zone[name]
    if (entry === undefined) return { kind: "no_such_domain" }
    if (entry === "down") return { kind: "failure", code: "ETIMEOUT" }
    const records = entry[type] ?? []
    return records.length > 0 ? { kind: "records", records: records.map(shape) } : { kind: "no_data" }
  }

  const same = (text: string) => text
  return {
    queried,
    a: (name) => query(name, "A", same),
    aaaa: (name) => query(name, "AAAA", same),
    mx: (name) => query<MxRecord>(name, "MX", (exchange) => ({ exchange, priority: 10 })),
    txt: (name) => query(name, "TXT", same),
    ptr: (name) => query(ipOf.get(name) ?? name, "PTR", same),
    cancel: () => undefined,
  }
}
