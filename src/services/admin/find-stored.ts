import type { FoundResult } from "../../adapters/store/admin/operator.ts"
import type { Context } from "../../context.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressTerms } from "../../domain/compliance/data-subject.ts"
import { isHidden } from "../../domain/suppression/flags.ts"
import { findAccountFlags } from "../suppression/find-flags.ts"

/** The stored result of an address, or null. An account must have verified and not erased the address since. */
export async function findStored(
  ctx: Context,
  { address, accountId }: { address: ValidAddress; accountId: string | null },
): Promise<FoundResult | null> {
  const { digests } = ctx
  const { operator, erasure } = ctx.store
  const terms = await addressTerms(digests, address)
  const [key] = await erasure.resultsOf({ by: "address", terms, accountId }, 1)
  const found = key === undefined ? null : await operator.result(key)
  if (found === null || accountId === null) return found
  return isHidden(await findAccountFlags(ctx, { accountId, address }), found.verifiedAt) ? null : found
}
