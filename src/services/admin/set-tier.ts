import type { Tier } from "../../../schema/vocabulary.ts"
import type { Account } from "../../adapters/store/accounts/operator.ts"
import type { Context } from "../../context.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { explainProblem } from "../../domain/typo/did-you-mean.ts"
import { AppError } from "../../errors.ts"
import { grantPlan } from "../accounts/apply-plan.ts"
import { listUnconfirmedKeys, type UnconfirmedKeys } from "../accounts/unconfirmed-keys.ts"

interface TierChange {
  /** As it was before. */
  readonly account: Account
  /** The plan in force now: the higher one of the operator's and a running subscription's. */
  readonly inForce: Tier
  /** Active keys that have the new tier. */
  readonly updatedKeys: number
  /** Active keys below the plan, which keep their tier. */
  readonly unchangedKeys: number
  /** Keys in the address's name that belong to no account yet. */
  readonly unconfirmed: UnconfirmedKeys
}

/**
 * Sets the operator's plan and the key tiers of a verified address's account, from the next request on. The plan of a
 * running subscription stays in force when it is higher. Keys below the plan do not change. Unconfirmed keys in the address's name belong to other accounts, so the plan does not cover them.
 * @throws AppError bad_request, not_found
 */
export async function setTier(ctx: Context, { email, tier }: { email: string; tier: Tier }): Promise<TierChange> {
  const address = parseAddress(email)
  if (!address.ok)
    throw new AppError("bad_request", `the email in the path is not an address: ${explainProblem(address)}`)
  const account = await ctx.store.operator.accountOf(cacheKey(address))
  if (!account) throw new AppError("not_found", "no account has verified this address; its owner must sign in once")
  const { inForce, updatedKeys, keys } = await grantPlan(ctx, { accountId: account.accountId, tier })
  const unconfirmed = await listUnconfirmedKeys(ctx, { email: cacheKey(address), signInKeyId: null })
  return { account, inForce, updatedKeys, unchangedKeys: keys - updatedKeys, unconfirmed }
}
