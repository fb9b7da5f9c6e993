import type { ParsedAddress, ValidAddress } from "../address/parse.ts"
import { activeLists } from "./active-lists.ts"
import type { Lists } from "./built-in.ts"
import { lookupNames } from "./domain-names.ts"
import { institutionOf } from "./institution.ts"
import { isRoleMailbox } from "./role.ts"
import { splitSubaddress } from "./subaddress.ts"

/** The classes of an address, by lists alone. */
export interface ListClasses {
  /** A public or short-lived inbox, whose mail is discarded. */
  readonly isDisposable: boolean
  /** An alias that forwards to a permanent mailbox (Apple Hide My Email, Firefox Relay, SimpleLogin). Never disposable. */
  readonly isRelay: boolean
  /** Named after a function, not a person. */
  readonly isRole: boolean
  /** Anyone can get a permanent mailbox at the domain. */
  readonly isFree: boolean
  /** Has a tag: after "+" (RFC 5233), or in its provider's form. */
  readonly isSubaddress: boolean
  /** The domain is neither free, disposable nor relay. */
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

/** Returns the classes of an address by its domain and every parent domain. All false for a malformed address. */
export function classifyAddress(address: ParsedAddress, lists: Lists = activeLists()): ListClasses {
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

type DomainKind = "disposable" | "relay" | "free" | "corporate"

/** The most specific listed name decides. */
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

function split({ local, domain, isQuoted }: ValidAddress): { mailbox: string; tag: string | null } {
  const lower = local.toLowerCase()
  return isQuoted ? { mailbox: lower.slice(1, -1), tag: null } : splitSubaddress(lower, domain)
}
