import ipaddr from "ipaddr.js"
import { hex } from "../keys/digest.ts"

/**
 * The network one client is taken to be: an IPv4 address, or the /64 of an IPv6 address, which one household or host has
 * all to itself. Anything else is one client called "unknown".
 */
export function clientNetwork(ip: string | undefined): string {
  if (!ip || !ipaddr.isValid(ip)) return "unknown"
  const address = ipaddr.process(ip)
  if (address.kind() === "ipv4") return address.toString()
  return `${hex(address.toByteArray().slice(0, 8))}/64`
}
