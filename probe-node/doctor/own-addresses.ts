import { dialPort } from "../address-policy.ts"
import type { NodeSettings } from "../config.ts"
import type { DnsAnswer } from "./dns.ts"
import type { SourceKnock } from "./egress.ts"

/** An address at which mail servers see this node. */
export interface OwnAddress {
  readonly ip: string
  /** Nothing but the HELO name says so. */
  readonly isAssumed: boolean
}

interface Clues {
  readonly knocks: readonly SourceKnock[]
  /** Addresses of the HELO name. */
  readonly helo: DnsAnswer
  readonly machineIps: readonly string[]
}

/**
 * What our addresses are in the world: what mail hosts say they see (behind NAT or a proxy nothing else knows), else the
 * address we connect from when it is a public one or the machine has one, else those of the HELO name.
 */
export function ownAddresses(settings: NodeSettings, { knocks, helo, machineIps }: Clues): readonly OwnAddress[] {
  const sources = new Set([...(settings.proxy ? [] : settings.sourceIps), ...knocks.map(({ source }) => source)])
  const known = [...sources].flatMap((source) => {
    const heard = knocks.flatMap((one) => (one.source === source && one.knock ? [one.knock] : []))
    const candidates = [...heard.map(({ seenIp }) => seenIp), source, ...heard.map(({ localIp }) => localIp)]
    return candidates.find((ip) => ip !== null && isWorldly(ip, settings)) ?? []
  })
  if (known.length === 0 && settings.sourceIps.length === 0 && !settings.proxy) known.push(...machineIps.slice(0, 1))
  if (known.length > 0) return [...new Set(known)].map((ip) => ({ ip, isAssumed: false }))
  return helo.kind === "records" ? helo.records.map((ip) => ({ ip, isAssumed: true })) : []
}

/** Public, or what this node's policy takes for it. */
function isWorldly(ip: string, { policy }: NodeSettings): boolean {
  const allowPrivate = policy.allowPrivate || policy.sandbox !== null
  return dialPort(ip, { ...policy, allowPrivate }) !== null
}
