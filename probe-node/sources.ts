import type { ProbeRequest } from "../schema/wire/probe.ts"
import { type SocksProxy, sourceName } from "./smtp/socks5.ts"

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
