import type { ParsedAddress } from "../address/parse.ts"
import { DISPOSABLE_DOMAINS, FREE_DOMAINS, ROLE_LOCAL_PARTS } from "./known.ts"

/** What kind of address it is, by lists alone. */
export interface ListClasses {
  readonly isDisposable: boolean
  readonly isRole: boolean
  readonly isFree: boolean
  /** The local part carries a tag after "+" (RFC 5233 sub-addressing). */
  readonly isSubaddress: boolean
  /** A domain of its own: neither free nor disposable. */
  readonly isCorporate: boolean
}

const NOTHING: ListClasses = {
  isDisposable: false,
  isRole: false,
  isFree: false,
  isSubaddress: false,
  isCorporate: false,
}

export function classifyAddress(address: ParsedAddress): ListClasses {
  if (!address.ok) return NOTHING
  const [mailbox = "", ...tags] = address.local.toLowerCase().split("+")
  const isDisposable = DISPOSABLE_DOMAINS.has(address.domain)
  const isFree = !isDisposable && FREE_DOMAINS.has(address.domain)
  return {
    isDisposable,
    isFree,
    isRole: ROLE_LOCAL_PARTS.has(mailbox),
    isSubaddress: tags.length > 0 && mailbox !== "",
    isCorporate: !isDisposable && !isFree,
  }
}
