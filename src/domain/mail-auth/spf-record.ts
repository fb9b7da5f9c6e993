/** A directive or modifier of an SPF record (RFC 7208 §4.6.1, §5, §6). */
export interface SpfTerm {
  readonly name: "all" | "include" | "a" | "mx" | "ptr" | "ip4" | "ip6" | "exists" | "redirect"
  readonly qualifier: "+" | "-" | "~" | "?"
  /** Domain that the term names. Null for the domain of the record itself. */
  readonly target: string | null
  /** The target depends on the message (§7), so it cannot be resolved beforehand. */
  readonly hasMacro: boolean
}

export type SpfRecord = { readonly ok: true; readonly terms: readonly SpfTerm[] } | { readonly ok: false }

const DIRECTIVE = /^([+?~-]?)(all|include|a|mx|ptr|ip4|ip6|exists)(?:([:/])(.*))?$/i
const MODIFIER = /^([a-z][a-z0-9._-]*)=(.*)$/i
const CIDR = /^(.*?)(?:\/(0|[1-9]\d?))?(?:\/\/(0|[1-9]\d{0,2}))?$/
const MACRO = /%(?:%|_|-|\{[slodiphcrtv]\d*r?[.\-+,/_=]*\})/gi
/** Macro letters that are valid only in an explanation (§7.2). */
const EXPLANATION_MACRO = /%\{[crt]/i
const IP4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/
const IP6_CHARACTERS = /^[0-9a-f:]+(?::\d+\.\d+\.\d+\.\d+)?$/i

/** Whether a TXT record is an SPF record: the version is a separate word (§4.5). */
export function isSpf(text: string): boolean {
  return /^v=spf1( |$)/i.test(text)
}

/**
 * Reads a record. Any syntax error in it makes the whole record a permanent error (§4.6).
 * The terms end with the first `all`: later mechanisms and any redirect are ignored (§5.1).
 */
export function readSpfRecord(text: string): SpfRecord {
  const words = text
    .slice("v=spf1".length)
    .split(" ")
    .filter((word) => word !== "")
  const terms = words.map(readWord)
  if (terms.includes("error")) return { ok: false }
  const known = terms.filter((term) => term !== "error" && term !== "ignored")
  const count = (name: string) => words.filter((word) => word.toLowerCase().startsWith(`${name}=`)).length
  return count("redirect") > 1 || count("exp") > 1 ? { ok: false } : { ok: true, terms: dropIgnored(known) }
}

function dropIgnored(terms: readonly SpfTerm[]): readonly SpfTerm[] {
  const all = terms.findIndex(({ name }) => name === "all")
  return all === -1 ? terms : terms.slice(0, all + 1).filter(({ name }) => name !== "redirect")
}

function readWord(word: string): SpfTerm | "error" | "ignored" {
  const directive = DIRECTIVE.exec(word)
  if (directive) return readDirective(directive)
  const modifier = MODIFIER.exec(word)
  if (!modifier) return "error"
  const [, name, value] = modifier as unknown as [string, string, string]
  if (name.toLowerCase() === "redirect") return withTarget("redirect", "+", value)
  if (name.toLowerCase() === "exp") return isDomainSpec(value) ? "ignored" : "error"
  return isMacroString(value) ? "ignored" : "error"
}

function readDirective([, sign, word, separator, rest = ""]: RegExpExecArray): SpfTerm | "error" {
  const qualifier = (sign || "+") as SpfTerm["qualifier"]
  const name = word!.toLowerCase() as SpfTerm["name"]
  switch (name) {
    case "all":
      return separator ? "error" : { name, qualifier, target: null, hasMacro: false }
    case "ip4":
    case "ip6":
      return separator === ":" && isNetwork(name, rest) ? { name, qualifier, target: null, hasMacro: false } : "error"
    case "include":
    case "exists":
      return separator === ":" ? withTarget(name, qualifier, rest) : "error"
    case "ptr":
      if (!separator) return { name, qualifier, target: null, hasMacro: false }
      return separator === ":" ? withTarget(name, qualifier, rest) : "error"
    default:
      return readHostTerm(name, qualifier, separator === "/" ? `/${rest}` : separator ? rest : null)
  }
}

/** `a` and `mx`: an optional domain and optional prefix lengths for IPv4 and IPv6 (§5.3, §5.4). */
function readHostTerm(name: SpfTerm["name"], qualifier: SpfTerm["qualifier"], rest: string | null): SpfTerm | "error" {
  if (rest === null) return { name, qualifier, target: null, hasMacro: false }
  if (rest === "") return "error"
  const [, target = "", four = "0", six = "0"] = CIDR.exec(rest) ?? []
  if (Number(four) > 32 || Number(six) > 128) return "error"
  return target === "" ? { name, qualifier, target: null, hasMacro: false } : withTarget(name, qualifier, target)
}

function withTarget(name: SpfTerm["name"], qualifier: SpfTerm["qualifier"], target: string): SpfTerm | "error" {
  if (!isDomainSpec(target)) return "error"
  return { name, qualifier, target: target.toLowerCase().replace(/\.$/, ""), hasMacro: target.includes("%") }
}

/** A domain-spec ends in a non-numeric top label or in a macro (§7.1). */
function isDomainSpec(text: string): boolean {
  if (!isMacroString(text) || EXPLANATION_MACRO.test(text)) return false
  return /(?:\.(?!\d+\.?$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.?|%\{[^}]*\}|%%|%_|%-)$/i.test(text)
}

function isMacroString(text: string): boolean {
  return /^[\x21-\x7e]*$/.test(text) && !text.replace(MACRO, "").includes("%")
}

function isNetwork(name: "ip4" | "ip6", text: string): boolean {
  const [address = "", length, ...more] = text.split("/")
  if (more.length > 0 || (length !== undefined && !/^(0|[1-9]\d{0,2})$/.test(length))) return false
  if (name === "ip4") return IP4.test(address) && Number(length ?? 0) <= 32
  return isIp6(address) && Number(length ?? 0) <= 128
}

/** The forms of RFC 4291 §2.2: eight groups, or fewer with one "::". An IPv4 address may replace the last two. */
function isIp6(text: string): boolean {
  if (!IP6_CHARACTERS.test(text)) return false
  const dotted = /(?:^|:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1]
  if (dotted !== undefined && !IP4.test(dotted)) return false
  const halves = (dotted === undefined ? text : `${text.slice(0, -dotted.length)}0:0`).split("::")
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")))
  if (halves.length > 2 || groups.some((group) => !/^[0-9a-f]{1,4}$/i.test(group))) return false
  return halves.length === 2 ? groups.length <= 7 : groups.length === 8
}
