import { dialPort } from "../address-policy.ts"
import type { NodeSettings } from "../config.ts"
import type { DnsAnswer } from "./dns.ts"
import type { SourceConnection } from "./egress.ts"

/** An address at which mail servers see this node. */
export interface OwnAddress {
  readonly ip: string
  /** Only the HELO name points to this address. */
  readonly isAssumed: boolean
}

interface AddressSources {
  readonly connections: readonly SourceConnection[]
  /** Addresses of the HELO name. */
  readonly helo: DnsAnswer
  readonly machineIps: readonly string[]
}

/**
 * The node's public addresses. For each source: the address that mail hosts report, which also works behind NAT or a
 * proxy, else the address it connects from if public. Without any: the machine's public address, else the HELO name's.
 */
export function ownAddresses(
  settings: NodeSettings,
  { connections, helo, machineIps }: AddressSources,
): readonly OwnAddress[] {
  const sources = new Set([...(settings.proxy ? [] : settings.sourceIps), ...connections.map(({ source }) => source)])
  const known = [...sources].flatMap((source) => {
    const results = connections.flatMap((one) => (one.source === source && one.connection ? [one.connection] : []))
    const candidates = [...results.map(({ seenIp }) => seenIp), source, ...results.map(({ localIp }) => localIp)]
    return candidates.find((ip) => ip !== null && isUsable(ip, settings)) ?? []
  })
  if (known.length === 0 && settings.sourceIps.length === 0 && !settings.proxy) known.push(...machineIps.slice(0, 1))
  if (known.length > 0) return [...new Set(known)].map((ip) => ({ ip, isAssumed: false }))
  return helo.kind === "records" ? helo.records.map((ip) => ({ ip, isAssumed: true })) : []
}

/** Whether the address is public, or this node's policy allows it. */
function isUsable(ip: string, { policy }: NodeSettings): boolean {
  const allowPrivate = policy.allowPrivate || policy.sandbox !== null
  return dialPort(ip, { ...policy, allowPrivate }) !== null
}
