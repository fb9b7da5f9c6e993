import type { SuppressionReason } from "../../../schema/vocabulary.ts"

/** The account id of the operator's list, which stands above all accounts. */
export const OPERATOR_LIST = "*"

/** Why and until when an address is not to be sent to. */
export interface Suppression {
  readonly reason: SuppressionReason
  readonly source: string | null
  /** Unix milliseconds, both; null is for good. */
  readonly createdAt: number
  readonly expiresAt: number | null
}

export interface Expiring {
  readonly expiresAt: number | null
}

/** An entry counts until the moment it expires, whether or not it has been swept. @param now Unix milliseconds */
export function isInForce({ expiresAt }: Expiring, now: number): boolean {
  return expiresAt === null || expiresAt > now
}

/** A soft bounce passes; everything else says that mail there is unwanted or lost, for as long as the entry stands. */
export function shouldNeverSend({ reason }: Pick<Suppression, "reason">): boolean {
  return reason !== "soft_bounce"
}
