import ipaddr from "ipaddr.js"

interface AddressAnswers {
  resolve(
    name: string,
    type: "A" | "AAAA",
    options?: { readonly confirm: boolean },
  ): Promise<
    | { readonly kind: "records"; readonly records: readonly string[]; readonly isAlias?: true }
    | { readonly kind: "no_data" | "no_such_domain"; readonly isAlias?: true; readonly isUnconfirmed?: true }
    | { readonly kind: "failure" }
  >
}

/** Resolves a host. A second resolver must confirm that it has no IPv6 address only where it has no IPv4 address. */
export async function resolveHost(dns: AddressAnswers, host: string) {
  const [four, first] = await Promise.all([dns.resolve(host, "A"), dns.resolve(host, "AAAA", { confirm: false })])
  const isDecisive = four.kind !== "records" && "isUnconfirmed" in first
  const answers = [four, isDecisive ? await dns.resolve(host, "AAAA") : first]
  const addresses = answers.flatMap((answer) => (answer.kind === "records" ? answer.records : []))
  const known = answers.filter((answer) => answer.kind !== "failure")
  return {
    /** IPv4 first. Empty: the host has no address. Null: no address is known, and a lookup failed. */
    addresses: addresses.length === 0 && known.length < answers.length ? null : addresses,
    /** Whether answers contain CNAME records (RFC 1034 §3.6.2). Null without an answer. */
    isAlias: known.length === 0 ? null : known.some(({ isAlias }) => isAlias),
  }
}

/** The addresses of a host, IPv4 first. Null when it has no known address and a lookup failed. */
export async function addressesOf(dns: AddressAnswers, host: string): Promise<string[] | null> {
  return (await resolveHost(dns, host)).addresses
}

/** Top-level names that public DNS never holds (RFC 6761, 6762, 7686, 9476). Not "test": the sandbox uses it. */
const RESERVED_TOP = new Set(["invalid", "localhost", "local", "onion", "alt", "internal"])
/** RFC 8375: names of home networks. */
const HOME = /(?:^|\.)home\.arpa$/
/** A top-level name is alphabetic (RFC 3696 §2), so these end in an IPv4 address or a part of one. */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[\da-f]*)$/

/** Whether a name of an MX record can have an address in public DNS: no IP address (RFC 1035 §3.3.9), not reserved. */
export function canBeMailHost(name: string): boolean {
  const host = name.toLowerCase().replace(/\.$/, "")
  if (host === "" || /[:[\]]/.test(host) || ENDS_IN_NUMBER.test(host) || HOME.test(host)) return false
  return !RESERVED_TOP.has(host.slice(host.lastIndexOf(".") + 1))
}

/** Networks without a receiver. ICANN answers with 127.53.53.53 for names that collide with private ones. */
const NOWHERE = ["127.0.0.0/16", "127.53.53.53/32", "0.0.0.0/8", "255.255.255.255/32", "::/128", "::1/128"].map(
  (text) => ipaddr.parseCIDR(text),
)

/** Whether no mail can arrive at this address: loopback, unspecified, or broadcast. */
export function isUnroutable(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return NOWHERE.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits))
}

/** Top-level names outside the public DNS: reserved, or common in private networks (RFC 6762, appendix G). */
export const RESERVED_TOP_LEVEL: ReadonlySet<string> = new Set(
  "alt corp example home internal intranet invalid lan local localhost onion private test".split(" "),
)

/** Reserved names below public ones: for documentation (RFC 2606 section 3) and for home networks (RFC 8375). */
const RESERVED_DOMAINS = ["example.com", "example.net", "example.org", "home.arpa"]

/** Whether a domain is a reserved name or is below one. @param domain A-labels */
export function isReservedName(domain: string): boolean {
  const name = domain.toLowerCase().replace(/\.$/, "")
  const topLevel = name.slice(name.lastIndexOf(".") + 1)
  return (
    RESERVED_TOP_LEVEL.has(topLevel) ||
    RESERVED_DOMAINS.some((reserved) => name === reserved || name.endsWith(`.${reserved}`))
  )
}

/** Whether a service may get a query about an address or domain. Reserved names stay inside a network. */
export function mayQuery(about: string, url: string): boolean {
  return !isReservedName(about.slice(about.lastIndexOf("@") + 1)) || isInside(new URL(url).hostname)
}

/** Whether a host cannot be on the public internet, such as the mock services of tests. */
function isInside(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "")
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() !== "unicast"
  return !host.includes(".") || isReservedName(host)
}
