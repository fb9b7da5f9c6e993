import type { ParsedAddress, ValidAddress } from "../address/parse.ts"
import type { Lists } from "./built-in.ts"
import { lookupNames } from "./domain-names.ts"
import { listsInForce } from "./in-force.ts"
import { institutionOf } from "./institution.ts"
import { isRoleMailbox } from "./role.ts"
import { splitSubaddress } from "./subaddress.ts"

/** What kind of address it is, by lists alone. */
export interface ListClasses {
  /** Mail there is thrown away: a public or short-lived inbox. */
  readonly isDisposable: boolean
  /** An alias that forwards to a lasting mailbox (Apple Hide My Email, Firefox Relay, SimpleLogin); never disposable. */
  readonly isRelay: boolean
  /** Named after a function, not a person. */
  readonly isRole: boolean
  /** Anyone can get a lasting mailbox there. */
  readonly isFree: boolean
  /** Carries a tag: after "+" (RFC 5233), or as its provider writes one. */
  readonly isSubaddress: boolean
  /** A domain of its own: neither free, disposable nor relay. */
  readonly isCorporate: boolean
  readonly isGovernment: boolean
  readonly isEducation: boolean
}

const NOTHING: ListClasses = {
  isDisposable: false,
  isRelay: false,
  isRole: false,
  isFree: false,
  isSubaddress: false,
  isCorporate: false,
  isGovernment: false,
  isEducation: false,
}

/** The classes of an address; all false for a malformed one. Lists are asked for the domain and for every parent. */
export function classifyAddress(address: ParsedAddress, lists: Lists = listsInForce()): ListClasses {
  if (!address.ok) return NOTHING
  const { mailbox, tag } = split(address)
  const names = lookupNames(address.domain)
  const kind = classifyNames(names, lists)
  const institution = kind === "corporate" ? institutionOf(address.domain) : null
  return {
    isDisposable: kind === "disposable",
    isRelay: kind === "relay",
    isFree: kind === "free",
    isCorporate: kind === "corporate",
    isRole: isRoleMailbox(mailbox),
    isSubaddress: tag !== null,
    isGovernment: institution === "government",
    isEducation:
      institution === "education" ||
      (kind === "corporate" && institution === null && names.some((name) => lists.education.has(name))),
  }
}

export interface MxClass {
  readonly isDisposable: boolean
  /** The host that decided it. */
  readonly host: string | null
}

/** Whether a domain's mail goes to servers that only serve disposable inboxes. One such host is enough. */
export function classifyMxHosts(hosts: readonly string[], lists: Lists = listsInForce()): MxClass {
  const host = hosts.find((name) => isDisposableHost(name.toLowerCase().replace(/\.$/, ""), lists))
  return { isDisposable: host !== undefined, host: host ?? null }
}

type DomainKind = "disposable" | "relay" | "free" | "corporate"

/** The most specific name that any list knows decides. */
function classifyNames(names: readonly string[], lists: Lists): DomainKind {
  let isAllowed = false
  for (const name of names) {
    const override = lists.overrides.get(name)
    if (override && override !== "allow") return override
    isAllowed ||= override === "allow" || lists.allowed.has(name)
    if (lists.relay.has(name)) return "relay"
    if (!isAllowed && lists.disposable.has(name)) return "disposable"
    if (lists.free.has(name)) return "free"
  }
  return "corporate"
}

function isDisposableHost(host: string, lists: Lists): boolean {
  const names = lookupNames(host)
  const override = names.map((name) => lists.overrides.get(name)).find((found) => found !== undefined)
  if (override) return override === "disposable"
  return names.some((name) => lists.disposableMx.has(name))
}

function split({ local, domain, isQuoted }: ValidAddress): { mailbox: string; tag: string | null } {
  const lower = local.toLowerCase()
  return isQuoted ? { mailbox: lower.slice(1, -1), tag: null } : splitSubaddress(lower, domain)
}
