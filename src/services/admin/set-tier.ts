import type { Tier } from "../../../schema/vocabulary.ts"
import type { Account } from "../../adapters/store/admin/operator.ts"
import type { Context } from "../../context.ts"
import { grantPlan } from "../accounts/apply-plan.ts"
import { listUnconfirmedKeys, type UnconfirmedKeys } from "../accounts/unconfirmed-keys.ts"
import { findAccount } from "./find-account.ts"

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
 * Sets the operator's plan and the key tiers of an account, from the next request on. The plan of a running subscription
 * stays in force when it is higher. Keys below the plan do not change. Unconfirmed keys in the name of the account's
 * mailbox belong to other accounts, so the plan does not cover them.
 * @param given the account's id, the id of one of its keys, or its proven mailbox
 * @throws AppError bad_request, not_found
 */
export async function setTier(ctx: Context, { given, tier }: { given: string; tier: Tier }): Promise<TierChange> {
  const account = await findAccount(ctx, given)
  const { email, accountId } = account
  const { inForce, updatedKeys, keys } = await grantPlan(ctx, { accountId, tier })
  const unconfirmed =
    email === null ? { keys: [], total: 0 } : await listUnconfirmedKeys(ctx, { email, signInKeyId: null })
  return { account, inForce, updatedKeys, unchangedKeys: keys - updatedKeys, unconfirmed }
}
