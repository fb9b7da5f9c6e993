import ipaddr from "ipaddr.js"

/** Who asks to send, as the macros of RFC 7208 §7.2 see it. */
export interface SpfQuestion {
  readonly ip: string
  readonly sender: string
  readonly heloName: string
}

const MACRO = /%(?:([%_-])|\{([slodiphcrtv])(\d{1,3})?(r)?([.\-+,/_=]*)\})/gi
const SIGNS: Readonly<Record<string, string>> = { "%": "%", _: " ", "-": "%20" }
const MAX_NAME = 253

/** Fills in a domain-spec. Null when it is not written as §7.1 wants. @param domain whose record it stands in */
export function expandMacros(text: string, domain: string, question: SpfQuestion): string | null {
  if (text.replace(MACRO, "").includes("%")) return null
  const name = text.replace(MACRO, (_, sign?: string, letter = "", digits?: string, reverse?: string, cuts = "") => {
    if (sign !== undefined) return SIGNS[sign]!
    const labels = meaningOf(letter.toLowerCase(), domain, question).split(new RegExp(`[${literal(cuts || ".")}]`))
    if (reverse) labels.reverse()
    return labels.slice(digits === undefined ? 0 : -Math.max(1, Number(digits))).join(".")
  })
  return shorten(name.replace(/\.$/, "").toLowerCase())
}

function meaningOf(letter: string, domain: string, { ip, sender, heloName }: SpfQuestion): string {
  const at = sender.lastIndexOf("@")
  const parsed = ipaddr.process(ip)
  const values: Readonly<Record<string, string>> = {
    s: sender,
    l: sender.slice(0, at),
    o: sender.slice(at + 1),
    d: domain,
    h: heloName,
    v: parsed.kind() === "ipv4" ? "in-addr" : "ip6",
    // §7.3: IPv6 as 32 digits with dots between.
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

/** §7.3: labels are dropped from the left until the name fits. */
function shorten(name: string): string {
  let rest = name
  while (rest.length > MAX_NAME && rest.includes(".")) rest = rest.slice(rest.indexOf(".") + 1)
  return rest
}

function literal(characters: string): string {
  return characters.replace(/[\\\]^-]/g, "\\$&")
}
