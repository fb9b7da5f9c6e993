import { type DnsAnswer, type DoctorDns, type MxRecord, reverseName } from "../../probe-node/doctor/dns.ts"

export interface DoctorRecords {
  readonly A?: readonly string[]
  readonly AAAA?: readonly string[]
  readonly MX?: readonly string[]
  readonly TXT?: readonly string[]
  readonly PTR?: readonly string[]
}

/** Names, and IP addresses for their reverse names, to what they hold; "down" for a name nobody answers for. */
export type DoctorZone = Readonly<Record<string, DoctorRecords | "down">>

/** A DNS for a doctor's questions; `asked` notes them as "TXT a.test". */
export function doctorZone(zone: DoctorZone): DoctorDns & { readonly asked: string[] } {
  const asked: string[] = []

  async function look<T>(name: string, type: keyof DoctorRecords, shape: (text: string) => T): Promise<DnsAnswer<T>> {
    asked.push(`${type} ${name}`)
    const entry = zone[name]
    if (entry === undefined) return { kind: "no_such_domain" }
    if (entry === "down") return { kind: "failure", code: "ETIMEOUT" }
    const records = entry[type] ?? []
    return records.length > 0 ? { kind: "records", records: records.map(shape) } : { kind: "no_data" }
  }

  const same = (text: string) => text
  return {
    asked,
    a: (name) => look(name, "A", same),
    aaaa: (name) => look(name, "AAAA", same),
    mx: (name) => look<MxRecord>(name, "MX", (exchange) => ({ exchange, priority: 10 })),
    txt: (name) => look(name, "TXT", same),
    ptr: (ip) => look(zone[ip] === undefined ? reverseName(ip) : ip, "PTR", same),
    cancel: () => undefined,
  }
}
