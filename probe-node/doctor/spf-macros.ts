import ipaddr from "ipaddr.js"

/** The sender that SPF evaluates, with the values for the macros of RFC 7208 §7.2. */
export interface SpfQuery {
  readonly ip: string
  readonly sender: string
  readonly heloName: string
}

const MACRO = /%(?:([%_-])|\{([slodiphcrtv])(\d{1,3})?(r)?([.\-+,/_=]*)\})/gi
const SIGNS: Readonly<Record<string, string>> = { "%": "%", _: " ", "-": "%20" }
const MAX_NAME = 253

/** Expands the macros of a domain-spec. @param domain that holds the record @returns null on a syntax error (§7.1) */
export function expandMacros(text: string, domain: string, query: SpfQuery): string | null {
  if (text.replace(MACRO, "").includes("%")) return null
  const name = text.replace(MACRO, (_, sign?: string, letter = "", digits?: string, reverse?: string, cuts = "") => {
    if (sign !== undefined) return SIGNS[sign]!
    const labels = meaningOf(letter.toLowerCase(), domain, query).split(new RegExp(`[${literal(cuts || ".")}]`))
    if (reverse) labels.reverse()
    return labels.slice(digits === undefined ? 0 : -Math.max(1, Number(digits))).join(".")
  })
  return shorten(name.replace(/\.$/, "").toLowerCase())
}

function meaningOf(letter: string, domain: string, { ip, sender, heloName }: SpfQuery): string {
  const at = sender.lastIndexOf("@")
  const parsed = ipaddr.process(ip)
  const values: Readonly<Record<string, string>> = {
    s: sender,
    l: sender.slice(0, at),
    o: sender.slice(at + 1),
    d: domain,
    h: heloName,
    v: parsed.kind() === "ipv4" ? "in-addr" : "ip6",
    // §7.3: IPv6 as 32 digits separated by dots.
    i: parsed.kind() === "ipv4" ? parsed.toString() : nibbles(parsed),
  }
  return values[letter] ?? "unknown"
}

function nibbles(ip: ipaddr.IPv4 | ipaddr.IPv6): string {
  return [
    ...ip
      .toByteArray()
      .map((byte) => byte.toString(16).padStart(2, "0"))
      .join(""),
  ].join(".")
}

/** §7.3: drops labels from the left until the name fits. */
function shorten(name: string): string {
  let rest = name
  while (rest.length > MAX_NAME && rest.includes(".")) rest = rest.slice(rest.indexOf(".") + 1)
  return rest
}

function literal(characters: string): string {
  return characters.replace(/[\\\]^-]/g, "\\$&")
}
