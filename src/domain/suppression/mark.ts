import { cacheKey } from "../address/cache-key.ts"
import type { ParsedAddress } from "../address/parse.ts"
import { type Expiring, isInForce } from "./suppression.ts"

/** What one list or account knows about an address, as the edge keeps it. */
export interface Mark {
  readonly suppression: Expiring | null
  /** Mail from the address has been received, and it has not bounced since. */
  readonly isReceived: boolean
}

/** What the caller's own marks and the operator's come to. */
export interface Standing {
  readonly isSuppressed: boolean
  readonly isReceived: boolean
}

export const NO_STANDING: Standing = { isSuppressed: false, isReceived: false }

/** Out of the standings of many, by cache key; those nothing is known about are not among them. */
export function standingAmong(standings: ReadonlyMap<string, Standing>, address: ParsedAddress): Standing {
  return (address.ok ? standings.get(cacheKey(address)) : undefined) ?? NO_STANDING
}

/** @param now Unix milliseconds */
export function standingOf(marks: Iterable<Mark | null | undefined>, now: number): Standing {
  let standing = NO_STANDING
  for (const mark of marks) {
    if (!mark) continue
    const isSuppressed = standing.isSuppressed || (mark.suppression !== null && isInForce(mark.suppression, now))
    standing = { isSuppressed, isReceived: standing.isReceived || mark.isReceived }
  }
  return standing
}

export function sameStanding(one: Standing, other: Standing): boolean {
  return one.isSuppressed === other.isSuppressed && one.isReceived === other.isReceived
}

export function sameMark(one: Mark | null | undefined, other: Mark | null | undefined): boolean {
  if (!one || !other) return !one && !other
  return (
    one.isReceived === other.isReceived &&
    (one.suppression === null) === (other.suppression === null) &&
    one.suppression?.expiresAt === other.suppression?.expiresAt
  )
}
