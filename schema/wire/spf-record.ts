import ipaddr from "ipaddr.js"

export type SpfQualifier = "+" | "-" | "~" | "?"

/** A mechanism of an SPF record, or its redirect (RFC 7208 §4.6.1, §5, §6.1). */
export interface SpfTerm {
  /** The term as it is published. */
  readonly text: string
  readonly name: "all" | "include" | "a" | "mx" | "ptr" | "ip4" | "ip6" | "exists" | "redirect"
  readonly qualifier: SpfQualifier
  /** A domain-spec, in which macros are not expanded, or the address of ip4 and ip6. Null: the record's own domain. */
  readonly target: string | null
  /** Prefix lengths of the networks that match. */
  readonly prefix: { readonly ipv4: number; readonly ipv6: number }
}

/** The terms in the order of evaluation, or the first word that breaks the record. */
export type SpfRecord =
  | { readonly ok: true; readonly terms: readonly SpfTerm[] }
  | { readonly ok: false; readonly word: string }

/** The message that SPF evaluates. */
export interface SpfSender {
  /** Source address of the connection. */
  readonly ip: string
  /** Address of MAIL FROM. A domain alone has the local part "postmaster" (§4.3). */
  readonly mailFrom: string
  readonly heloName: string
}

const DIRECTIVE = /^([+?~-]?)(all|include|a|mx|ptr|ip4|ip6|exists)(?:([:/])(.*))?$/i
const MODIFIER = /^([a-z][a-z0-9._-]*)=(.*)$/i
const DUAL_CIDR = /^(.*?)(?:\/(0|[1-9]\d?))?(?:\/\/(0|[1-9]\d{0,2}))?$/
const NETWORK = /^([^/%]+)(?:\/(0|[1-9]\d{0,2}))?$/
const MACRO = /%(?:([%_-])|\{([slodiphcrtv])(0*[1-9]\d*)?(r)?([.\-+,/_=]*)\})/gi
/** Macro letters that are valid only in an explanation (§7.2). */
const EXPLANATION_MACRO = /%\{[crt]/i
/** A non-numeric top label below another label, or a macro (§7.1). */
const DOMAIN_END = /(?:\.(?!\d+\.?$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.?|%\{[^}]*\}|%[%_-])$/i
const SIGNS: Readonly<Record<string, string>> = { "%": "%", _: " ", "-": "%20" }
const WHOLE = { ipv4: 32, ipv6: 128 }
const MAX_NAME = 253

/** Whether a TXT record is an SPF record: the version is a separate word (§4.5). */
export function isSpf(text: string): boolean {
  return /^v=spf1( |$)/i.test(text)
}

/**
 * Parses a record. Any syntax error makes the whole record a permanent error (§4.6).
 * The terms end with the first `all`, else with the redirect: no later term has an effect (§5.1, §6.1).
 */
export function readSpfRecord(text: string): SpfRecord {
  const directives: SpfTerm[] = []
  const known = new Set<string>()
  let redirect: SpfTerm | null = null
  const words = text.split(" ").slice(1)
  for (const word of words.filter((each) => each !== "")) {
    const [, modifier, value = ""] = MODIFIER.exec(word) ?? []
    if (modifier === undefined) {
      const directive = readDirective(word)
      if (!directive) return { ok: false, word }
      directives.push(directive)
      continue
    }
    const name = modifier.toLowerCase()
    const isKnown = name === "redirect" || name === "exp"
    const isValid = isKnown ? isDomainSpec(value) && !known.has(name) : isMacroString(value)
    if (!isValid) return { ok: false, word }
    if (isKnown) known.add(name)
    if (name === "redirect") redirect = { ...termOf(word, name), target: value }
  }
  const all = directives.findIndex(({ name }) => name === "all")
  if (all !== -1) return { ok: true, terms: directives.slice(0, all + 1) }
  return { ok: true, terms: redirect ? [...directives, redirect] : directives }
}

function termOf(text: string, name: SpfTerm["name"]): SpfTerm {
  return { text, name, qualifier: "+", target: null, prefix: WHOLE }
}

function readDirective(text: string): SpfTerm | null {
  const [, sign = "", word = "", separator, rest = ""] = DIRECTIVE.exec(text) ?? []
  const name = word.toLowerCase() as SpfTerm["name"]
  const term = { ...termOf(text, name), qualifier: (sign || "+") as SpfQualifier }
  switch (name) {
    case "all":
      return separator ? null : term
    case "ip4":
    case "ip6":
      return separator === ":" ? withNetwork(term, rest) : null
    case "include":
    case "exists":
      return separator === ":" ? withTarget(term, rest) : null
    case "ptr":
      if (!separator) return term
      return separator === ":" ? withTarget(term, rest) : null
    case "a":
    case "mx":
      return withHost(term, separator, rest)
    default:
      return null
  }
}

function withTarget(term: SpfTerm, target: string): SpfTerm | null {
  return isDomainSpec(target) ? { ...term, target } : null
}

/** An optional domain and optional prefix lengths for IPv4 and IPv6 (§5.3, §5.4). */
function withHost(term: SpfTerm, separator: string | undefined, rest: string): SpfTerm | null {
  const [, host = "", four = "32", six = "128"] = DUAL_CIDR.exec(separator === "/" ? `/${rest}` : rest) ?? []
  const prefix = { ipv4: Number(four), ipv6: Number(six) }
  if (prefix.ipv4 > 32 || prefix.ipv6 > 128) return null
  if (separator === ":") return withTarget({ ...term, prefix }, host)
  return host === "" ? { ...term, prefix } : null
}

function withNetwork(term: SpfTerm, text: string): SpfTerm | null {
  const family = term.name === "ip4" ? "ipv4" : "ipv6"
  const [, address = "", length = String(WHOLE[family])] = NETWORK.exec(text) ?? []
  const isAddress = family === "ipv4" ? ipaddr.IPv4.isValidFourPartDecimal(address) : ipaddr.IPv6.isValid(address)
  if (!isAddress || Number(length) > WHOLE[family]) return null
  return { ...term, target: address, prefix: { ...WHOLE, [family]: Number(length) } }
}

function isDomainSpec(text: string): boolean {
  return isMacroString(text) && !EXPLANATION_MACRO.test(text) && DOMAIN_END.test(text)
}

function isMacroString(text: string): boolean {
  return /^[\x21-\x7e]*$/.test(text) && !text.replace(MACRO, "").includes("%")
}

/**
 * Expands the macros of a domain-spec (§7).
 * @param domain that holds the record
 * @param ownName the verified reverse name of the source address, for the macro `p`
 * @returns a name in lower case, without a final dot and without the labels on the left that make it too long
 */
export function expandMacros(text: string, domain: string, sender: SpfSender, ownName = "unknown"): string {
  const values = macroValues(domain, sender, ownName)
  const expanded = text.replace(
    MACRO,
    (_, sign?: string, letter = "", digits?: string, reverse?: string, cuts = "") => {
      if (sign !== undefined) return SIGNS[sign]!
      const separators: string = cuts || "."
      const parts = [""]
      for (const character of values[letter.toLowerCase()] ?? "")
        if (separators.includes(character)) parts.push("")
        else parts[parts.length - 1] += character
      if (reverse) parts.reverse()
      const value = parts.slice(digits === undefined ? 0 : -Number(digits)).join(".")
      return letter < "a" ? escaped(value) : value
    },
  )
  let name = expanded.replace(/\.$/, "").toLowerCase()
  while (name.length > MAX_NAME && name.includes(".")) name = name.slice(name.indexOf(".") + 1)
  return name
}

function macroValues(
  domain: string,
  { ip, mailFrom, heloName }: SpfSender,
  ownName: string,
): Readonly<Record<string, string>> {
  const at = mailFrom.lastIndexOf("@")
  const [local, host] = [mailFrom.slice(0, Math.max(0, at)) || "postmaster", mailFrom.slice(at + 1)]
  const address = ipaddr.process(ip)
  const isIpv4 = address.kind() === "ipv4"
  const digits = address.toByteArray().map((byte) => byte.toString(16).padStart(2, "0"))
  return {
    s: `${local}@${host}`,
    l: local,
    o: host,
    d: domain,
    h: heloName,
    p: ownName,
    v: isIpv4 ? "in-addr" : "ip6",
    // IPv6 as 32 digits separated by dots (§7.4).
    i: isIpv4 ? address.toString() : [...digits.join("")].join("."),
  }
}

/** A macro with a capital letter is escaped as in a URL (§7.3). */
function escaped(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
}
