import { isIPv4 } from "node:net"
import ipaddr from "ipaddr.js"
import { isInSandbox, isPublicAddress, type SandboxNetwork } from "../schema/wire/addresses.ts"
import type { ProbeRequest } from "../schema/wire/probe.ts"
import { type SocksProxy, sourceName } from "./smtp/socks5.ts"

export interface AddressPolicy {
  readonly allowPrivate: boolean
  readonly sandbox: SandboxNetwork | null
  readonly smtpPort: number
}

/** The port to dial for an address, or null when the policy forbids the connection. */
export type DialPort = (address: string) => number | null

const MAX_KNOWN = 10_000

/** Decides whether an address may be dialed (SSRF: an MX record may name any address). It caches the decisions. */
export function createDialPort(policy: AddressPolicy): DialPort {
  const known = new Map<string, number | null>()
  return (address) => {
    const found = known.get(address)
    if (found !== undefined) return found
    if (known.size >= MAX_KNOWN) known.clear()
    const port = dialPort(address, policy)
    known.set(address, port)
    return port
  }
}

/** The port for one address, without the cache. */
export function dialPort(address: string, { allowPrivate, sandbox, smtpPort }: AddressPolicy): number | null {
  if (sandbox && isInSandbox(address, sandbox)) return sandbox.port
  const isAllowed = allowPrivate ? ipaddr.isValid(address) : isPublicAddress(address)
  return isAllowed ? smtpPort : null
}

/** The network of one host: an IPv4 address, or the /64 of an IPv6 address, which usually belongs to one host. */
export function networkOf(address: string): string {
  // Parsing with ipaddr.js costs 3 µs a session (measured).
  if (isIPv4(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === "ipv4" || parsed.range() === "rfc6052") return address
  return `${parsed.toByteArray().slice(0, 8).join(".")}/64`
}

export function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback"
}

/** Placeholder for the address that the system picks when no source IPs are configured. */
export const SYSTEM_SOURCE = "system"

/** Selects and orders the node's source IPs for each request. */
export function createSources(configured: readonly string[], proxy: SocksProxy | null) {
  const all = proxy ? [sourceName(proxy)] : configured.length > 0 ? configured : [SYSTEM_SOURCE]
  /** Addresses that the system has picked so far. */
  const picked = new Set<string>()
  let offset = 0

  function isAvoided(sourceIp: string, avoid: readonly string[]): boolean {
    return avoid.includes(sourceIp) || (sourceIp === SYSTEM_SOURCE && avoid.some((ip) => picked.has(ip)))
  }

  return {
    all,

    /** The requested source IP alone, if configured. Else all that the request does not avoid, in rotating order. */
    usableFor({ sourceIp, avoidSourceIps }: Pick<ProbeRequest, "sourceIp" | "avoidSourceIps">): string[] {
      if (sourceIp !== null && all.includes(sourceIp)) return [sourceIp]
      offset = (offset + 1) % all.length
      return [...all.slice(offset), ...all.slice(0, offset)].filter((ip) => !isAvoided(ip, avoidSourceIps))
    },

    /** Addresses to bind to: the permitted one first, the others for hosts of the other address family. */
    dialFrom(leased: string, usable: readonly string[]): string[] {
      return proxy || leased === SYSTEM_SOURCE ? [] : [leased, ...usable.filter((ip) => ip !== leased)]
    },

    learn(leased: string, actual: string): void {
      if (leased === SYSTEM_SOURCE) picked.add(actual)
    },
  }
}

export type Sources = ReturnType<typeof createSources>
