import { parse } from "tldts"
import { institutionOf } from "./classify.ts"
import type { DomainSet } from "./fuse-filter.ts"

/** Limits of a fetched list. The largest public list has 190,000 names. */
export const MAX_LIST_BYTES = 8_000_000
export const MAX_LIST_NAMES = 400_000
/** Invalid lines to return as examples. */
const MAX_EXAMPLES = 20

export type ListText =
  | {
      readonly ok: true
      readonly domains: ReadonlySet<string>
      /** The first few lines that are not a domain. */
      readonly unread: readonly string[]
    }
  | { readonly ok: false; readonly reason: "too_large" | "too_many_names" | "not_a_list" }

const DOMAIN = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

/** Whether a text can be a top-level domain, as an A-label in lower case. */
export function isTopLevelName(text: string): boolean {
  return /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,58}[a-z0-9])$/.test(text)
}

/** Reads a list of one name a line, with "#" comments. A text with more invalid lines than names is no list. */
export function parseListText(text: string, isName = (name: string) => DOMAIN.test(name)): ListText {
  if (text.length > MAX_LIST_BYTES) return { ok: false, reason: "too_large" }
  const domains = new Set<string>()
  const unread: string[] = []
  let unreadCount = 0
  for (const line of linesOf(text)) {
    const name = line
      .replace(/#.*/, "")
      .trim()
      .toLowerCase()
      .replace(/^(@|\*\.|\.)/, "")
    if (name === "") continue
    if (isName(name)) domains.add(name)
    else if (++unreadCount <= MAX_EXAMPLES) unread.push(line.slice(0, 80))
    if (domains.size > MAX_LIST_NAMES) return { ok: false, reason: "too_many_names" }
  }
  return unreadCount > domains.size ? { ok: false, reason: "not_a_list" } : { ok: true, domains, unread }
}

/** Yields line by line, so that memory does not hold a second copy of eight megabytes. */
function* linesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from)
    const to = end < 0 ? text.length : end
    yield text.slice(from, to)
    from = to + 1
  }
}

/** An independent source: a list, or several copies of one list. */
export interface ListSourceVote {
  readonly name: string
  readonly domains: ReadonlySet<string>
  /** Its names that were observed at a service or reviewed, not copied. Missing: none. */
  readonly firstHand?: DomainSet
}

/** Returns the domains that at least `atLeast` sources contain. */
export function domainsInMost(sources: readonly ListSourceVote[], atLeast: number): Set<string> {
  const counts = new Map<string, number>()
  for (const { domains } of sources) for (const domain of domains) counts.set(domain, (counts.get(domain) ?? 0) + 1)
  return new Set([...counts].filter(([, count]) => count >= atLeast).map(([domain]) => domain))
}

/** Names that state their purpose, such as temp-mail.world. Of 15,000 domains of brands and sites, none matches. */
const STATES_PURPOSE =
  /throw-?away|(?:temp(?:orary)?|tmp|trash|disposable|fake|burner|[1-6]0-?min(?:ute)?s?)-?e?-?(?:mail|inbox|box)|(?:mail|inbox)-?(?:temp|trash|fake)|guerr?illa-?mail|mailinator|yopmail|wegwerf|jetable/

/** The domains that `atLeast` sources call disposable, and at least one of them at first hand. */
export function confirmedDisposable(sources: readonly ListSourceVote[], atLeast: number): Set<string> {
  return new Set([...domainsInMost(sources, atLeast)].filter((domain) => isConfirmed(domain, sources)))
}

/** Whether a first-hand voice, or the name itself, says that the domain is disposable. */
export function isConfirmed(domain: string, sources: readonly ListSourceVote[]): boolean {
  return STATES_PURPOSE.test(domain) || sources.some(({ firstHand }) => firstHand?.has(domain))
}

/** Removes the domains whose parent is also in the set, because a lookup includes every parent. */
export function withoutChildren(domains: ReadonlySet<string>): Set<string> {
  return new Set([...domains].filter((domain) => !hasParentIn(domain, domains)))
}

export function hasParentIn(domain: string, set: DomainSet): boolean {
  for (let dot = domain.indexOf("."); dot >= 0; dot = domain.indexOf(".", dot + 1)) {
    const parent = domain.slice(dot + 1)
    if (parent.includes(".") && set.has(parent)) return true
  }
  return false
}

/** Why a domain must not be on a list of disposable domains. */
export type Refusal = "not_a_domain" | "public_suffix" | "institution" | "provider" | "relay"

interface Protected {
  /** Mail providers, large sites, forwarders and hosts. */
  readonly providers: DomainSet
  readonly relays: DomainSet
  /** Schools and universities outside the reserved suffixes. */
  readonly schools: DomainSet
}

/** Suffixes under which anyone can register a name, so disposable "student" addresses exist there. */
const OPEN_INSTITUTIONS = /\.(edu|mil)\.(pl|rs|gr|vn|kg|ge)$/

/** Why a list must not call the domain disposable; null when it may. @param domain A-labels, lower case */
export function refusalOf(domain: string, { providers, relays, schools }: Protected): Refusal | null {
  if (!DOMAIN.test(domain)) return "not_a_domain"
  const { isIcann, publicSuffix } = parse(domain)
  if (!isIcann) return "not_a_domain"
  if (publicSuffix === domain || parse(domain, { allowPrivateDomains: true }).publicSuffix === domain)
    return "public_suffix"
  if (relays.has(domain)) return "relay"
  if (providers.has(domain)) return "provider"
  if (schools.has(domain)) return "institution"
  return institutionOf(domain) !== null && !OPEN_INSTITUTIONS.test(domain) ? "institution" : null
}
