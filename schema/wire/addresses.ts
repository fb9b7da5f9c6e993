import ipaddr from "ipaddr.js"

/** A private network of servers that all listen on one port, for tests and the sandbox internet. */
export interface SandboxNetwork {
  readonly network: [ipaddr.IPv4 | ipaddr.IPv6, number]
  readonly port: number
}

/** @param text such as "127.43.0.0/16:8080" @returns null when the text is invalid */
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
 * Whether a host is a loopback host.
 * @param host a name or an address, IPv6 with or without brackets
 */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "").toLowerCase()
  if (bare === "localhost") return true
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === "loopback"
}

/**
 * Whether a connection to an untrusted address is allowed (SSRF): global unicast only. In IPv6 that is 2000::/3
 * (RFC 4291 §2.4). In NAT64 the embedded IPv4 address decides. It is in the last 32 bits: the zero check excludes the
 * other positions of the local prefix (RFC 8215, RFC 6052 §2.2).
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

/** The name of the PTR records of an address (RFC 1035 §3.5, RFC 3596 §2.5). @throws Error when it is no IP address */
export function reverseName(ip: string): string {
  const bytes = ipaddr.process(ip).toByteArray()
  if (bytes.length === 4) return `${bytes.reverse().join(".")}.in-addr.arpa`
  const digits = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")
  return `${[...digits].reverse().join(".")}.ip6.arpa`
}
