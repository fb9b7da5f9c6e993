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
