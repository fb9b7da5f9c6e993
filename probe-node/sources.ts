import type { ProbeRequest } from "../schema/wire/probe.ts"
import { type SocksProxy, sourceName } from "./smtp/socks5.ts"

/** Stands for whatever address the system picks, when no source IPs are configured. */
export const SYSTEM_SOURCE = "system"

/** Our own addresses: which may be used for a request, in which order. */
export function createSources(configured: readonly string[], proxy: SocksProxy | null) {
  const all = proxy ? [sourceName(proxy)] : configured.length > 0 ? configured : [SYSTEM_SOURCE]
  /** Addresses the system has picked so far. */
  const seen = new Set<string>()
  let turn = 0

  function isAvoided(sourceIp: string, avoid: readonly string[]): boolean {
    return avoid.includes(sourceIp) || (sourceIp === SYSTEM_SOURCE && avoid.some((ip) => seen.has(ip)))
  }

  return {
    all,

    /** A wanted source IP stands alone, as long as it is still ours; else all that are not to be avoided, in turn. */
    usableFor({ sourceIp, avoidSourceIps }: Pick<ProbeRequest, "sourceIp" | "avoidSourceIps">): string[] {
      if (sourceIp !== null && all.includes(sourceIp)) return [sourceIp]
      turn = (turn + 1) % all.length
      return [...all.slice(turn), ...all.slice(0, turn)].filter((ip) => !isAvoided(ip, avoidSourceIps))
    },

    /** Addresses to bind to: the leased one first, the others for hosts of the other address family. */
    dialFrom(leased: string, usable: readonly string[]): string[] {
      return proxy || leased === SYSTEM_SOURCE ? [] : [leased, ...usable.filter((ip) => ip !== leased)]
    },

    learn(leased: string, actual: string): void {
      if (leased === SYSTEM_SOURCE) seen.add(actual)
    },
  }
}

export type Sources = ReturnType<typeof createSources>
