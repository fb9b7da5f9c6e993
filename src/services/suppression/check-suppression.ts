import type { Context } from "../../context.ts"
import { flagHashes } from "../../domain/address/address-forms.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { domainOfName, OPERATOR_LIST, type Suppression } from "../../domain/suppression/suppression.ts"

export interface FoundSuppression {
  readonly suppression: Suppression
  /** The owner of the list. */
  readonly list: "account" | "operator"
  /** The domain of an entry for a whole domain; null for an entry of the address. */
  readonly domain: string | null
}

/**
 * Finds the active entries that suppress an address, in one statement: those of the address and of its domain. The
 * operator's list comes first, then the entry of the address. @param list an account id, or the operator's
 */
export async function checkSuppression(
  ctx: Context,
  list: string,
  address: ValidAddress,
): Promise<readonly FoundSuppression[]> {
  const hashes = await flagHashes(ctx.digests, address)
  const found = await ctx.store.suppressions.find([...new Set([OPERATOR_LIST, list])], hashes, ctx.clock.now())
  return found
    .map(({ accountId, address: name, ...suppression }): FoundSuppression => {
      const domain = domainOfName(name)
      if (accountId !== OPERATOR_LIST) return { suppression, list: "account", domain }
      // Source and note of the operator's entry, such as a complaint, are visible to the operator only.
      const shown = list === OPERATOR_LIST ? suppression : { ...suppression, source: null, note: null }
      return { suppression: shown, list: "operator", domain }
    })
    .toSorted((a, b) => rankOf(a) - rankOf(b))
}

function rankOf({ list, domain }: FoundSuppression): number {
  return (list === "operator" ? 0 : 2) + (domain === null ? 0 : 1)
}
