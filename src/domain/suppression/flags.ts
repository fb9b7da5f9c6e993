import { cacheKey } from "../address/address-forms.ts"
import type { ParsedAddress } from "../address/parse.ts"
import { type Expiring, isActive } from "./suppression.ts"

/** What the account's own mail showed about an address. The newest report decides. */
export interface AccountReports {
  /** Mail from the address has been received, and it has not bounced since. */
  readonly isReceived: boolean
  /** A hard bounce reported that the mailbox does not exist, and no later report shows that it does. */
  readonly hasBounced: boolean
  /** The recipient reported the account's mail as spam. */
  readonly hasComplained: boolean
}

export const NO_REPORTS: AccountReports = { isReceived: false, hasBounced: false, hasComplained: false }

/** Suppression flags of an address for one list or account, as the edge caches them. */
export interface SuppressionFlags extends AccountReports {
  readonly suppression: Expiring | null
  /** Stored results verified up to this moment (Unix ms) are hidden, because the account erased the address. */
  readonly hidesUntil: number
}

export const NO_SUPPRESSION_FLAGS: SuppressionFlags = { suppression: null, ...NO_REPORTS, hidesUntil: 0 }

/** Account flags of an address: the combined flags of the caller's list and the operator's list. */
export interface AccountFlags extends AccountReports {
  readonly isSuppressed: boolean
  /** As in `SuppressionFlags`. */
  readonly hidesUntil: number
}

export const NO_ACCOUNT_FLAGS: AccountFlags = { isSuppressed: false, ...NO_REPORTS, hidesUntil: 0 }

/** Up to when stored results are hidden from an account, by cache key; addresses with nothing hidden are not listed. */
export type HiddenUntil = ReadonlyMap<string, number>

/** Whether a stored result is hidden from an account that erased the address. @param verifiedAt Unix ms */
export function isHidden({ hidesUntil }: Pick<AccountFlags, "hidesUntil">, verifiedAt: number): boolean {
  return hidesUntil > 0 && verifiedAt <= hidesUntil
}

/** `isHidden` for one of many addresses. @param key cache key of the address */
export function isHiddenIn(hidden: HiddenUntil, key: string, verifiedAt: number): boolean {
  return isHidden({ hidesUntil: hidden.get(key) ?? 0 }, verifiedAt)
}

/** The account flags of one of many addresses, by cache key. Addresses without flags are absent from the map. */
export function accountFlagsIn(flagsByKey: ReadonlyMap<string, AccountFlags>, address: ParsedAddress): AccountFlags {
  return (address.ok ? flagsByKey.get(cacheKey(address)) : undefined) ?? NO_ACCOUNT_FLAGS
}

/** @param now Unix milliseconds */
export function accountFlagsOf(flags: Iterable<SuppressionFlags | null | undefined>, now: number): AccountFlags {
  const known = [...flags].filter((entry) => entry != null)
  return {
    isSuppressed: known.some(({ suppression }) => suppression !== null && isActive(suppression, now)),
    isReceived: known.some(({ isReceived }) => isReceived),
    hasBounced: known.some(({ hasBounced }) => hasBounced),
    hasComplained: known.some(({ hasComplained }) => hasComplained),
    hidesUntil: Math.max(0, ...known.map(({ hidesUntil }) => hidesUntil)),
  }
}

export function sameAccountFlags(one: AccountFlags, other: AccountFlags): boolean {
  return one.isSuppressed === other.isSuppressed && sameReports(one, other) && one.hidesUntil === other.hidesUntil
}

function sameReports(one: AccountReports, other: AccountReports): boolean {
  return (["isReceived", "hasBounced", "hasComplained"] as const).every((field) => one[field] === other[field])
}

export function sameSuppressionFlags(
  one: SuppressionFlags | null | undefined,
  other: SuppressionFlags | null | undefined,
): boolean {
  if (!one || !other) return !one && !other
  return (
    sameReports(one, other) &&
    one.hidesUntil === other.hidesUntil &&
    (one.suppression === null) === (other.suppression === null) &&
    one.suppression?.expiresAt === other.suppression?.expiresAt
  )
}
