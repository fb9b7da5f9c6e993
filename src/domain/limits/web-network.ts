import ipaddr from "ipaddr.js"

/** A private network whose addresses stand for web servers, all on one port: tests and the sandbox internet. */
export interface WebSandbox {
  readonly network: [ipaddr.IPv4 | ipaddr.IPv6, number]
  readonly port: number
}

/** @param text such as "127.43.0.0/16:8080"; null when it is not written like that */
export function parseWebSandbox(text: string): WebSandbox | null {
  const match = /^(.+):(\d{1,5})$/.exec(text)
  const port = Number(match?.[2])
  if (!match || !ipaddr.isValidCIDR(match[1]!) || port < 1 || port > 65_535) return null
  return { network: ipaddr.parseCIDR(match[1]!), port }
}

export function isInSandbox(address: string, sandbox: WebSandbox | null): boolean {
  if (!sandbox || !ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return parsed.kind() === sandbox.network[0].kind() && parsed.match(...sandbox.network)
}

/** Plain global unicast; in the NAT64 prefix (RFC 6052) the IPv4 address inside decides. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== "rfc6052") return parsed.range() === "unicast"
  return new ipaddr.IPv4(parsed.toByteArray().slice(12)).range() === "unicast"
}
