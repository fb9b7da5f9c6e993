import { Resolver } from "node:dns/promises"
import ipaddr from "ipaddr.js"

const WAIT_MS = 2_500

/** Records as text. Null: the query failed. An empty list: there are none. */
export type Records = readonly string[] | null

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
