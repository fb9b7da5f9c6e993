import ipaddr from "ipaddr.js"

const RESULTS = { "+": "pass", "-": "fail", "~": "softfail", "?": "neutral" } as const

/** A directive of an SPF record (RFC 7208 §4.6.1). */
export interface SpfTerm {
  readonly result: (typeof RESULTS)[keyof typeof RESULTS]
  readonly name: "all" | "include" | "a" | "mx" | "ptr" | "ip4" | "ip6" | "exists"
  /** Domain-spec, or the network of ip4 and ip6. Null: the record's own domain. */
  readonly target: string | null
  /** Prefix lengths for the addresses of `a` and `mx`. */
  readonly prefix: { readonly ipv4: number; readonly ipv6: number }
  readonly text: string
}

export interface SpfTerms {
  readonly directives: readonly SpfTerm[]
  readonly redirect: string | null
}

const DIRECTIVE = /^([+?~-]?)(all|include|a|mx|ptr|ip4|ip6|exists)(?:([:/])(.+))?$/i
const MODIFIER = /^([a-z][a-z0-9._-]*)=(.*)$/i
const HOST_AND_LENGTHS = /^(.*?)(?:\/(\d{1,3}))?(?:\/\/(\d{1,3}))?$/
const WHOLE = { ipv4: 32, ipv6: 128 }

export function isSpf(text: string): boolean {
  return /^v=spf1( |$)/i.test(text)
}

/** Parses a record. @returns the invalid word if any term is invalid, because then the whole record is (§4.6) */
export function readSpf(record: string): SpfTerms | string {
  const directives: SpfTerm[] = []
  let redirect: string | null = null
  for (const word of record.split(" ").slice(1)) {
    const [, modifier, value = ""] = MODIFIER.exec(word) ?? []
    const isRedirect = modifier?.toLowerCase() === "redirect"
    const directive = modifier === undefined && word !== "" ? readDirective(word) : null
    if (word !== "" && modifier === undefined && !directive) return word
    if (isRedirect && (redirect !== null || value === "")) return word
    if (isRedirect) redirect = value
    if (directive) directives.push(directive)
  }
  return { directives, redirect }
}

function readDirective(text: string): SpfTerm | null {
  const [, sign = "", word = "", separator, rest = ""] = DIRECTIVE.exec(text) ?? []
  const name = word.toLowerCase() as SpfTerm["name"]
  const result = RESULTS[(sign || "+") as keyof typeof RESULTS]
  const directive = { result, name, target: rest || null, prefix: WHOLE, text }
  switch (name) {
    case "all":
      return separator ? null : directive
    case "ip4":
    case "ip6":
      return separator === ":" && isNetwork(name, rest) ? directive : null
    case "include":
    case "exists":
      return separator === ":" ? directive : null
    case "ptr":
      return separator === "/" ? null : directive
    case "a":
    case "mx":
      return withLengths(directive, separator === "/" ? `/${rest}` : rest)
    default:
      return null
  }
}

function withLengths(directive: SpfTerm, text: string): SpfTerm | null {
  const [, host = "", four = "32", six = "128"] = HOST_AND_LENGTHS.exec(text) ?? []
  const prefix = { ipv4: Number(four), ipv6: Number(six) }
  return prefix.ipv4 <= 32 && prefix.ipv6 <= 128 ? { ...directive, target: host || null, prefix } : null
}

function isNetwork(name: "ip4" | "ip6", text: string): boolean {
  if (text.includes("/")) return ipaddr.isValidCIDR(text) && isFamily(name, text.split("/")[0]!)
  return isFamily(name, text)
}

function isFamily(name: "ip4" | "ip6", address: string): boolean {
  return name === "ip4" ? ipaddr.IPv4.isValidFourPartDecimal(address) : ipaddr.IPv6.isValid(address)
}
