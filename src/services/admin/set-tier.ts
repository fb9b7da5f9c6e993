import type { Tier } from "../../../schema/vocabulary.ts"
import type { Account } from "../../adapters/store/accounts/operator.ts"
import type { Context } from "../../context.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { explainProblem } from "../../domain/typo/did-you-mean.ts"
import { AppError } from "../../errors.ts"

/**
 * Sets the plan and the key tiers of a verified address's account, from the next request on. Keys below the plan do not
 * change.
 * @returns the account before the change, and how many keys have the new tier @throws AppError bad_request, not_found
 */
export async function setTier(
  ctx: Context,
  { email, tier }: { email: string; tier: Tier },
): Promise<{ account: Account; keys: number }> {
  const address = parseAddress(email)
  if (!address.ok)
    throw new AppError("bad_request", `the email in the path is not an address: ${explainProblem(address)}`)
  const account = await ctx.store.operator.accountOf(cacheKey(address))
  if (!account) throw new AppError("not_found", "no account has verified this address; its owner must sign in once")
  const changed = await ctx.store.operator.setTier(account.accountId, tier)
  const digests = await ctx.store.keys.digestsOf(account.accountId)
  await Promise.all(digests.map((digest) => ctx.keyLimiters.ofKey(digest).invalidate()))
  return { account, keys: changed }
}
