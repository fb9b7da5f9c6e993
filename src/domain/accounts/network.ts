import ipaddr from "ipaddr.js"
import { hex } from "./digest.ts"

/** The network of all clients without a known IP address. */
export const UNKNOWN_NETWORK = "unknown"

/**
 * The network that counts as one client: an IPv4 address, or the /64 of an IPv6 address, which usually belongs to one
 * household or host. Anything else is the client "unknown".
 */
export function clientNetwork(ip: string | undefined): string {
  if (!ip || !ipaddr.isValid(ip)) return UNKNOWN_NETWORK
  const address = ipaddr.process(ip)
  if (address.kind() === "ipv4") return address.toString()
  return `${hex(address.toByteArray().slice(0, 8))}/64`
}

/** The networks that one customer of a provider may hold, and how many times the limit of one client each of them has. */
const WIDER = [
  { bits: 56, times: 4 },
  { bits: 48, times: 16 },
]

/** A network that counts for a client. */
export interface CountedNetwork {
  readonly network: string
  /** Multiplies the limit of one client. */
  readonly times: number
}

/**
 * All networks that count for a client, narrowest first. An IPv6 customer holds a /56 or a /48 with many /64 (RFC 6177), so
 * these have limits, too.
 */
export function clientNetworks(ip: string | undefined): readonly CountedNetwork[] {
  const narrowest = { network: clientNetwork(ip), times: 1 }
  if (!narrowest.network.endsWith("/64")) return [narrowest]
  const digits = narrowest.network.slice(0, 16)
  return [narrowest, ...WIDER.map(({ bits, times }) => ({ network: `${digits.slice(0, bits / 4)}/${bits}`, times }))]
}

/** Bits of the network that a person may see: about a provider's customers in one area, never one household. */
const COARSE_BITS = { ipv4: 24, ipv6: 48 }

/** The client's network as CIDR, cut to an IPv4 /24 or an IPv6 /48. Null for a client without a known IP address. */
export function coarseNetwork(ip: string | undefined): string | null {
  if (!ip || !ipaddr.isValid(ip)) return null
  const address = ipaddr.process(ip)
  const range = `${address}/${COARSE_BITS[address.kind()]}`
  const network =
    address.kind() === "ipv4" ? ipaddr.IPv4.networkAddressFromCIDR(range) : ipaddr.IPv6.networkAddressFromCIDR(range)
  return `${network}/${COARSE_BITS[address.kind()]}`
}
