import type { Context } from "../../context.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressHashes } from "../../domain/feedback/address-hash.ts"
import { OPERATOR_LIST, type Suppression } from "../../domain/feedback/suppression.ts"

export interface FoundSuppression {
  readonly suppression: Suppression
  /** The owner of the list. The operator's list takes precedence. */
  readonly list: "account" | "operator"
}

/** Finds the suppression of an address, null when there is none. @param list an account id, or the operator's */
export async function checkSuppression(
  ctx: Context,
  list: string,
  address: ValidAddress,
): Promise<FoundSuppression | null> {
  const hashes = await addressHashes(ctx.digests, address)
  const now = ctx.clock.now()
  const [operator, own] = await Promise.all([
    ctx.store.suppressions.find(OPERATOR_LIST, hashes, now),
    list === OPERATOR_LIST ? null : ctx.store.suppressions.find(list, hashes, now),
  ])
  // The source of the operator's entry, such as a complaint, is visible to the operator only.
  if (operator)
    return { suppression: list === OPERATOR_LIST ? operator : { ...operator, source: null }, list: "operator" }
  return own && { suppression: own, list: "account" }
}
