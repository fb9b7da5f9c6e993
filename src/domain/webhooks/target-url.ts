import ipaddr from "ipaddr.js"

/** The operator's exceptions from the rules. */
export interface TargetRules {
  /** Allows http too, on ports 80 and 8080. */
  readonly allowHttp: boolean
  /** "host" or "host:port": exempt from the rules about names, addresses, ports and https. For private networks and tests. */
  readonly allowHosts: ReadonlySet<string>
  /** Hosts of this service, which are never a target. */
  readonly ownHosts: readonly string[]
}

export type TargetUrl = { readonly ok: true; readonly url: string } | { readonly ok: false; readonly problem: string }

const MAX_LENGTH = 2_048
const PORTS: Readonly<Record<string, readonly string[]>> = { "https:": ["", "8443"], "http:": ["", "8080"] }
/** Suffixes of local and private names (RFC 6761, RFC 6762, RFC 8375), and of reverse names. */
const LOCAL_SUFFIXES = ["localhost", "local", "internal", "home.arpa", "arpa", "lan", "intranet", "corp", "home"]

const POLLED_URL = /^poll:[\w.:/-]{1,200}$/

/** Whether an endpoint is polled: nothing is sent to it, and its events are read from the log of deliveries. */
export const isPolledUrl = (url: string) => POLLED_URL.test(url)

/** Validates a webhook's parsed URL, because 0x7f.1 is 127.0.0.1. Each delivery checks the host's addresses. */
export function readTargetUrl(text: string, rules: TargetRules): TargetUrl {
  if (text.length > MAX_LENGTH) return refuse(`is too long (${text.length} characters, at most ${MAX_LENGTH})`)
  if (/[\s\u0000-\u001f\u007f]/.test(text)) return refuse("must not contain white space or control characters")
  const url = URL.parse(text)
  if (!url) return refuse("must be a URL")
  const problem = schemeProblem(url) ?? (isExempt(url, rules) ? null : hostProblem(url, rules))
  if (problem) return refuse(problem)
  url.hash = ""
  return { ok: true, url: url.href }
}

function schemeProblem({ protocol, username, password, hostname }: URL): string | null {
  if (protocol !== "https:" && protocol !== "http:") return "must begin with https://"
  if (username || password) return "must not contain a user name or password"
  return hostname === "" ? "has no host" : null
}

/** The operator allows this host: no rule about names and addresses applies. */
export function isExempt({ hostname, host }: URL, { allowHosts }: TargetRules): boolean {
  return allowHosts.has(hostname) || allowHosts.has(host)
}

function hostProblem({ protocol, hostname, port }: URL, { allowHttp, ownHosts }: TargetRules): string | null {
  if (protocol === "http:" && !allowHttp) return "must begin with https://"
  if (!PORTS[protocol]!.includes(port)) return "must use port 443 or 8443"
  if (isAddress(hostname)) return "must name a host, not an IP address"
  if (hostname.endsWith(".")) return "must not have a dot at the end of its host"
  if (isLocalName(hostname)) return "names a host of a private network"
  return ownHosts.includes(hostname) ? "points back to this service" : null
}

/** The URL parser normalizes every IPv4 form to dotted decimal and puts IPv6 in brackets. */
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
