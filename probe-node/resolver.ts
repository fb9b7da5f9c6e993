import { Resolver as DnsResolver } from "node:dns/promises"
import { isIP } from "node:net"
import { setTimeout } from "node:timers/promises"

export type Addresses = { kind: "addresses"; addresses: readonly string[] } | { kind: "none"; detail: string }

/** Resolves the IP addresses of an MX host. */
export interface Resolver {
  /** A promise only when a name server is queried. An answer from the cache costs none. */
  addresses(host: string): Addresses | Promise<Addresses>
}

interface Entry {
  answer: Addresses | Promise<Addresses>
  expiresAt: number
}

/** Three seconds per host: 1 s for the first query, and 2 s for a retry after packet loss. */
const QUERY_LIMITS = { timeout: 1_000, tries: 2 } as const
/** Wait for IPv6 addresses after the IPv4 answer. Some name servers ignore AAAA queries (RFC 4074). */
const IPV6_GRACE_MS = 500
const MAX_ENTRIES = 20_000
const MIN_TTL_MS = 30_000
const MAX_TTL_MS = 3_600_000
const FAILURE_TTL_MS = 5_000
/** DNS errors that mean that the name has no record of this type. */
const NO_RECORD = ["ENODATA", "ENOTFOUND"]

/** @param server "host:port" of the resolver. Null: the system's resolver. */
export function createResolver(server: string | null): Resolver {
  const dns = new DnsResolver(QUERY_LIMITS)
  if (server) dns.setServers([server])
  const cache = new Map<string, Entry>()

  function query(host: string): Promise<Addresses> {
    const found = lookUp(dns, host).then(({ answer, ttlMs }) => {
      entry.answer = answer
      entry.expiresAt = Date.now() + ttlMs
      return answer
    })
    const entry: Entry = { answer: found, expiresAt: Number.POSITIVE_INFINITY }
    if (cache.size >= MAX_ENTRIES) cache.delete(cache.keys().next().value!)
    cache.set(host, entry)
    return found
  }

  return {
    addresses(host) {
      if (isIP(host)) return { kind: "addresses", addresses: [host] }
      const known = cache.get(host)
      if (known && known.expiresAt > Date.now()) return known.answer
      cache.delete(host)
      return query(host)
    },
  }
}

/** IPv4 first, because a sender's IPv6 address more often lacks the PTR record that large providers require. */
async function lookUp(dns: DnsResolver, host: string): Promise<{ answer: Addresses; ttlMs: number }> {
  const [four, six] = [dns.resolve4(host, { ttl: true }), dns.resolve6(host, { ttl: true })]
  const noneInTime = four.then(
    () => setTimeout(IPV6_GRACE_MS, [], { ref: false }),
    () => six,
  )
  const answers = await Promise.allSettled([four, Promise.race([six, noneInTime])])
  const records = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
  if (records.length > 0) {
    const ttlMs = Math.min(...records.map(({ ttl }) => ttl * 1_000))
    const addresses = records.map(({ address }) => address)
    return { answer: { kind: "addresses", addresses }, ttlMs: Math.max(MIN_TTL_MS, Math.min(MAX_TTL_MS, ttlMs)) }
  }
  const codes = answers.map((answer) => (answer.status === "rejected" ? String(answer.reason.code) : "ENODATA"))
  const failure = codes.find((code) => !NO_RECORD.includes(code))
  return { answer: { kind: "none", detail: failure ?? codes[0]! }, ttlMs: failure ? FAILURE_TTL_MS : MIN_TTL_MS }
}
