import type { SuppressionReason } from "../../../schema/vocabulary.ts"

/** The account id of the operator's list, which applies to all accounts. */
export const OPERATOR_LIST = "*"

/** A suppression of an address: its reason and its end. */
export interface Suppression {
  readonly reason: SuppressionReason
  readonly source: string | null
  /** Unix milliseconds, both. Null: permanent. */
  readonly createdAt: number
  readonly expiresAt: number | null
}

export interface Expiring {
  readonly expiresAt: number | null
}

/** Whether an entry is active: until it expires, swept or not. @param now Unix milliseconds */
export function isActive({ expiresAt }: Expiring, now: number): boolean {
  return expiresAt === null || expiresAt > now
}

/** Whether the reason is permanent. Only a soft bounce is temporary. */
export function shouldNeverSend({ reason }: Pick<Suppression, "reason">): boolean {
  return reason !== "soft_bounce"
}
