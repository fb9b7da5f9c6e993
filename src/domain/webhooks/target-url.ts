import ipaddr from "ipaddr.js"

/** What an operator allows beyond the rules. */
export interface TargetRules {
  /** Takes http as well, on the same ports and 80. */
  readonly allowHttp: boolean
  /** "host" or "host:port": exempt from the rules about names, addresses, ports and https. For own networks and tests. */
  readonly allowHosts: ReadonlySet<string>
  /** Hosts of this service itself, never a target. */
  readonly ownHosts: readonly string[]
}

export type TargetUrl = { readonly ok: true; readonly url: string } | { readonly ok: false; readonly problem: string }

const MAX_LENGTH = 2_048
const PORTS: Readonly<Record<string, readonly string[]>> = { "https:": ["", "8443"], "http:": ["", "8080"] }
/** Names that stand for this machine or a network of its own (RFC 6761, RFC 6762, RFC 8375), and reverse names. */
const LOCAL_SUFFIXES = ["localhost", "local", "internal", "home.arpa", "arpa", "lan", "intranet", "corp", "home"]

/**
 * Reads the URL a webhook is to be sent to. Judged after parsing, because a URL parser turns 2130706433, 0x7f.1 and
 * 127.1 into 127.0.0.1. Only the text is judged: what the name resolves to is checked at each delivery.
 */
export function readTargetUrl(text: string, rules: TargetRules): TargetUrl {
  if (text.length > MAX_LENGTH) return refuse(`may have at most ${MAX_LENGTH} characters`)
  if (/[\s\u0000-\u001f\u007f]/.test(text)) return refuse("must not contain white space or control characters")
  const url = URL.parse(text)
  if (!url) return refuse("is not a URL")
  const problem = schemeProblem(url) ?? (isExempt(url, rules) ? null : placeProblem(url, rules))
  if (problem) return refuse(problem)
  url.hash = ""
  return { ok: true, url: url.href }
}

function schemeProblem({ protocol, username, password, hostname }: URL): string | null {
  if (protocol !== "https:" && protocol !== "http:") return "must begin with https://"
  if (username || password) return "must not contain a user name or password"
  return hostname === "" ? "has no host" : null
}

/** The operator vouches for this host: no rule about names and addresses applies. */
export function isExempt({ hostname, host }: URL, { allowHosts }: TargetRules): boolean {
  return allowHosts.has(hostname) || allowHosts.has(host)
}

function placeProblem({ protocol, hostname, port }: URL, { allowHttp, ownHosts }: TargetRules): string | null {
  if (protocol === "http:" && !allowHttp) return "must begin with https://"
  if (!PORTS[protocol]!.includes(port)) return "must use port 443 or 8443"
  if (isAddress(hostname)) return "must name a host, not an IP address"
  if (hostname.endsWith(".")) return "must not end its host in a dot"
  if (isLocalName(hostname)) return "names a host of a private network"
  return ownHosts.includes(hostname) ? "points back to this service" : null
}

/** The parser has written every form of an IPv4 address as four decimal numbers and an IPv6 one in brackets. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith("[") || ipaddr.isValid(hostname)
}

function isLocalName(hostname: string): boolean {
  if (!hostname.includes(".")) return true
  return LOCAL_SUFFIXES.some((suffix) => hostname.endsWith(`.${suffix}`))
}

function refuse(problem: string): TargetUrl {
  return { ok: false, problem }
}
