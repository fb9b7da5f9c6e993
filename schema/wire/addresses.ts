import ipaddr from "ipaddr.js"

/** A private network whose addresses stand for servers, all on one port: tests and the sandbox internet. */
export interface SandboxNetwork {
  readonly network: [ipaddr.IPv4 | ipaddr.IPv6, number]
  readonly port: number
}

/** @param text such as "127.43.0.0/16:8080"; null when it is not written like that */
export function parseSandbox(text: string): SandboxNetwork | null {
  const match = /^(.+):(\d{1,5})$/.exec(text)
  const port = Number(match?.[2])
  if (!match || !ipaddr.isValidCIDR(match[1]!) || port < 1 || port > 65_535) return null
  return { network: ipaddr.parseCIDR(match[1]!), port }
}

export function isInSandbox(address: string, sandbox: SandboxNetwork | null): boolean {
  if (!sandbox || !ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return parsed.kind() === sandbox.network[0].kind() && parsed.match(...sandbox.network)
}

/**
 * Whether an address that a stranger's name leads to may be called (SSRF): global unicast only. In IPv6 that is 2000::/3
 * (RFC 4291 §2.4), and in NAT64 the IPv4 address decides. It stands at the end; in the local prefix (RFC 8215) it may stand
 * further ahead, which the zeros before it rule out (RFC 6052 §2.2).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  const range = parsed.range()
  const bytes = parsed.toByteArray()
  if (range === "rfc6052")
    return bytes.slice(6, 12).every((byte) => byte === 0) && new ipaddr.IPv4(bytes.slice(12)).range() === "unicast"
  return range === "unicast" && (bytes.length === 4 || bytes[0]! >> 5 === 1)
}
