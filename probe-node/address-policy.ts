import ipaddr from "ipaddr.js"

/** A network in which addresses are dialled whatever they are, and on a port of its own: the sandbox internet. */
export interface SandboxNetwork {
  readonly network: ipaddr.IPv4 | ipaddr.IPv6
  readonly prefix: number
  readonly port: number
}

export interface AddressPolicy {
  readonly allowPrivate: boolean
  readonly sandbox: SandboxNetwork | null
  readonly smtpPort: number
}

/** The port to dial an address on, or null when it must not be connected to. */
export type DialPort = (address: string) => number | null

const MAX_KNOWN = 10_000

/** Decides for each address whether it may be dialled (SSRF: an MX may name any), and remembers it. */
export function createDialPort(policy: AddressPolicy): DialPort {
  const known = new Map<string, number | null>()
  return (address) => {
    const found = known.get(address)
    if (found !== undefined) return found
    if (known.size >= MAX_KNOWN) known.clear()
    const port = dialPort(address, policy)
    known.set(address, port)
    return port
  }
}

/** The port for one address, without remembering it. */
export function dialPort(address: string, { allowPrivate, sandbox, smtpPort }: AddressPolicy): number | null {
  if (!ipaddr.isValid(address)) return null
  const parsed = ipaddr.process(address)
  if (sandbox && parsed.kind() === sandbox.network.kind() && parsed.match(sandbox.network, sandbox.prefix))
    return sandbox.port
  return allowPrivate || isPublic(parsed) ? smtpPort : null
}

/** @param text such as "127.42.0.0/16:2525"; null when it is not written like that */
export function parseSandbox(text: string): SandboxNetwork | null {
  const match = /^(.+):(\d{1,5})$/.exec(text)
  const port = Number(match?.[2])
  if (!match || !ipaddr.isValidCIDR(match[1]!) || port < 1 || port > 65_535) return null
  const [network, prefix] = ipaddr.parseCIDR(match[1]!)
  return { network, prefix, port }
}

/** What one host is taken to be: an IPv4 address, or the /64 of an IPv6 address, which a host has all to itself. */
export function networkOf(address: string): string {
  const parsed = ipaddr.process(address)
  if (parsed.kind() === "ipv4" || parsed.range() === "rfc6052") return address
  return `${parsed.toByteArray().slice(0, 8).join(".")}/64`
}

export function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback"
}

/**
 * Global unicast only: in IPv6 that is 2000::/3 (RFC 4291 §2.4), and in NAT64 the IPv4 address decides. It stands at the end;
 * in the local prefix (RFC 8215) it may stand further ahead, which the zeros before it rule out (RFC 6052 §2.2).
 */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const range = address.range()
  const bytes = address.toByteArray()
  if (range === "rfc6052")
    return bytes.slice(6, 12).every((byte) => byte === 0) && new ipaddr.IPv4(bytes.slice(12)).range() === "unicast"
  return range === "unicast" && (bytes.length === 4 || bytes[0]! >> 5 === 1)
}
