import ipaddr from "ipaddr.js"

/**
 * Top-level names that are never in the public DNS: reserved (RFC 6761, RFC 6762, RFC 7686, RFC 9476, ICANN's "internal")
 * or widely used in private networks (RFC 6762, appendix G).
 */
export const RESERVED_TOP_LEVEL: ReadonlySet<string> = new Set(
  "alt corp example home internal intranet invalid lan local localhost onion private test".split(" "),
)

/** Reserved names below public ones: for documentation (RFC 2606 section 3) and for home networks (RFC 8375). */
const RESERVED_DOMAINS = ["example.com", "example.net", "example.org", "home.arpa"]

/**
 * Whether a domain is a reserved name or is below one.
 * @param domain in A-label form, in any case, with or without the root's dot
 */
export function isReservedName(domain: string): boolean {
  const name = domain.toLowerCase().replace(/\.$/, "")
  const topLevel = name.slice(name.lastIndexOf(".") + 1)
  return (
    RESERVED_TOP_LEVEL.has(topLevel) ||
    RESERVED_DOMAINS.some((reserved) => name === reserved || name.endsWith(`.${reserved}`))
  )
}

/**
 * Whether a service may receive a query about an address or a domain. Reserved names have a meaning only inside their
 * network, so only a service inside a network may receive them.
 * @param about an email address or a domain
 * @param url URL of the service
 */
export function mayLookUp(about: string, url: string): boolean {
  return !isReservedName(about.slice(about.lastIndexOf("@") + 1)) || isInside(new URL(url).hostname)
}

/** Whether a host cannot be on the public internet, such as the mock services of tests. */
function isInside(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "")
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() !== "unicast"
  return !host.includes(".") || isReservedName(host)
}
