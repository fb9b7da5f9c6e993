import type { Deps } from "../../deps.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressHashes } from "../../domain/suppression/address-hash.ts"
import { OPERATOR_LIST, type Suppression } from "../../domain/suppression/suppression.ts"

type Needs = Pick<Deps, "suppressions" | "digests" | "clock">

export interface FoundSuppression {
  readonly suppression: Suppression
  /** Whose list it is on. The operator's stands above all others. */
  readonly list: "account" | "operator"
}

/** Why an address is suppressed; null when it is not. @param list an account id, or the operator's */
export async function checkSuppression(
  { suppressions, digests, clock }: Needs,
  list: string,
  address: ValidAddress,
): Promise<FoundSuppression | null> {
  const hashes = await addressHashes(digests, address)
  const now = clock.now()
  const [operator, own] = await Promise.all([
    suppressions.find(OPERATOR_LIST, hashes, now),
    list === OPERATOR_LIST ? null : suppressions.find(list, hashes, now),
  ])
  // Where the operator has an entry from, such as whose complaint it was, is for the operator alone.
  if (operator)
    return { suppression: list === OPERATOR_LIST ? operator : { ...operator, source: null }, list: "operator" }
  return own && { suppression: own, list: "account" }
}
