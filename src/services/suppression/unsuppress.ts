import type { Context } from "../../context.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressHashes } from "../../domain/feedback/address-hash.ts"
import { AppError } from "../../errors.ts"
import { refreshFlags } from "./refresh-flags.ts"

/**
 * Removes an address from a list, and the account's reports of its bounces and complaints.
 * @throws AppError not_found when there is neither an entry nor a report
 */
export async function unsuppress(ctx: Context, list: string, address: ValidAddress): Promise<void> {
  const hashes = await addressHashes(ctx.digests, address)
  const wasListed = await ctx.store.suppressions.remove(list, hashes, ctx.clock.now())
  await refreshFlags(ctx, list, hashes)
  if (!wasListed) throw new AppError("not_found", "this address is not on your suppression list")
}
