import { Resolver as DnsResolver } from "node:dns/promises"
import { isIP } from "node:net"
import { setTimeout } from "node:timers/promises"
import { LINE_LIMITS, type MxAttempt, type RecipientOutcome } from "../../schema/wire/probe.ts"
import { type DialPort, isLoopback } from "../addresses.ts"

export interface RouteDeps {
  readonly resolver: ReturnType<typeof createResolver>
  readonly dialPort: DialPort
  readonly random: () => number
}

/** A server address to connect to, and the source IP to connect from. */
export interface Endpoint {
  readonly mxHost: string
  readonly address: string
  readonly port: number
  /** Null: the system chooses. */
  readonly sourceIp: string | null
}

/** Looks up the addresses of an MX host. Null ends the route. */
export interface HostLookup {
  addresses(mxHost: string): Addresses | null | Promise<Addresses | null>
}

export type Mx = readonly { readonly host: string; readonly preference: number }[]

const MAX_HOSTS = 5
const MAX_ADDRESSES_PER_HOST = 3

/** The endpoints of a domain's mail hosts, in the order to try them. Hosts are resolved on demand. */
export class Route {
  /** Skipped hosts, and the attempts that the caller records. */
  readonly attempts: MxAttempt[] = []
  readonly #deps: Pick<RouteDeps, "dialPort" | "random">
  readonly #sourceIps: readonly string[]
  readonly #hosts: string[]
  readonly #lookup: HostLookup
  #endpoints: Endpoint[] = []

  /** @param sourceIps to connect from, the preferred one first. Empty: the system chooses. */
  constructor(
    deps: Pick<RouteDeps, "dialPort" | "random">,
    { mx, sourceIps }: { mx: Mx; sourceIps: readonly string[] },
    lookup: HostLookup,
  ) {
    this.#deps = deps
    this.#sourceIps = sourceIps
    this.#lookup = lookup
    this.#hosts = inOrder(mx, deps.random)
  }

  /** The next endpoint, or null when none is left. Hosts without a usable address are recorded and skipped. */
  async next(): Promise<Endpoint | null> {
    while (this.#endpoints.length === 0) {
      const mxHost = this.#hosts.shift()
      const found = mxHost === undefined ? null : await this.#lookup.addresses(mxHost)
      if (!found) return null
      if (found.kind === "none") this.#skip(mxHost!, "dns", found.detail)
      else this.#endpoints = this.#endpointsOf(mxHost!, found.addresses)
    }
    return this.#endpoints.shift()!
  }

  /** Records a failed attempt. A reply is shortened. */
  recordAttempt({ mxHost, address, outcome }: MxAttempt): void {
    if (this.attempts.length < LINE_LIMITS.attempts) this.attempts.push({ mxHost, address, outcome: inShort(outcome) })
  }

  #endpointsOf(mxHost: string, addresses: readonly string[]): Endpoint[] {
    const endpoints: Endpoint[] = []
    let wrongFamily = false
    for (const address of addresses) {
      const port = this.#deps.dialPort(address)
      const sourceIp = port === null ? undefined : sourceFor(address, this.#sourceIps)
      wrongFamily ||= port !== null && sourceIp === undefined
      if (port !== null && sourceIp !== undefined) endpoints.push({ mxHost, address, port, sourceIp })
    }
    if (wrongFamily && endpoints.length === 0) this.#skip(mxHost, "unreachable", "no source IP of this address family")
    else if (endpoints.length === 0) {
      const shown = addresses.find((one) => !isLoopback(one)) ?? addresses[0]
      this.#skip(mxHost, "blocked_address", "not a public address", shown)
    }
    return endpoints.slice(0, MAX_ADDRESSES_PER_HOST)
  }

  /** @param address of the host, where it is the reason. A loopback address only when the host has no other. */
  #skip(
    mxHost: string,
    failure: "dns" | "blocked_address" | "unreachable",
    detail: string,
    address: string | null = null,
  ): void {
    const outcome: RecipientOutcome = { kind: "failure", stage: "connect", failure, detail, ms: 0 }
    this.recordAttempt({ mxHost, address, outcome })
  }
}

function inShort(outcome: RecipientOutcome): RecipientOutcome {
  if (outcome.kind === "failure") return outcome
  const { reply } = outcome
  return { ...outcome, reply: { ...reply, text: reply.text.slice(0, LINE_LIMITS.attemptTextChars).toWellFormed() } }
}

/** Host names by preference, in random order among equal preferences (RFC 5321 §5.1). */
function inOrder(mx: Mx, random: () => number): string[] {
  if (mx.length === 1) return [mx[0]!.host]
  return mx
    .map(({ host, preference }) => ({ host, preference, order: random() }))
    .sort((one, other) => one.preference - other.preference || one.order - other.order)
    .slice(0, MAX_HOSTS)
    .map(({ host }) => host)
}

/** A loopback source reaches only loopback. Null: the system chooses. Undefined: no source IP of this family. */
function sourceFor(address: string, sourceIps: readonly string[]): string | null | undefined {
  if (sourceIps.length === 0) return null
  const usable = sourceIps.filter((ip) => !isLoopback(ip) || isLoopback(address))
  if (usable.length === 0) return null
  return usable.find((ip) => ip.includes(":") === address.includes(":"))
}

export type Addresses = { kind: "addresses"; addresses: readonly string[] } | { kind: "none"; detail: string }

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

/** Resolves the IP addresses of MX hosts. @param server "host:port" of the resolver. Null: the system's resolver. */
export function createResolver(server: string | null) {
  const dns = new DnsResolver(QUERY_LIMITS)
  if (server) dns.setServers([server])
  const cache = new Map<string, { answer: Addresses | Promise<Addresses>; expiresAt: number }>()

  function query(host: string): Promise<Addresses> {
    const found = lookUp(dns, host).then(({ answer, ttlMs }) => {
      entry.answer = answer
      entry.expiresAt = Date.now() + ttlMs
      return answer
    })
    const entry = { answer: found as Addresses | Promise<Addresses>, expiresAt: Number.POSITIVE_INFINITY }
    if (cache.size >= MAX_ENTRIES) cache.delete(cache.keys().next().value!)
    cache.set(host, entry)
    return found
  }

  return {
    /** A promise only when a name server is queried. An answer from the cache costs none. */
    addresses(host: string): Addresses | Promise<Addresses> {
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
