import type { Tier } from "../../../schema/vocabulary.ts"
import type { Context } from "../../context.ts"
import { planOf } from "../../domain/accounts/tiers.ts"

/**
 * Gives the account and its keys the plan in force after a payment, from the next request on. Keys with a lower tier, and
 * better ones that the operator made, do not change. An account without subscriptions keeps the operator's plan, also when
 * it buys credits.
 */
export async function applyPlan(ctx: Context, accountId: string): Promise<void> {
  const change = { actor: "payments", action: "account.tier_changed", subject: accountId } as const
  // Repeats until the plan matches: another call may change the subscriptions or the grant after they were read.
  for (;;) {
    const [subscriptions, account] = await plansOf(ctx, accountId)
    if (!account) break
    // A version without grants sets the plan alone. No payment explains such a plan, so it stays.
    if (subscriptions.length === 0 && account.grantedTier === null) break
    const to = planOf(subscriptions, account.grantedTier)
    if (account.tier === to) break
    // The audit row comes first: a repeated event may add a second row, but no plan changes without a row.
    await ctx.store.audit.append({ ...change, details: { from: account.tier, to }, at: ctx.clock.now() })
    await ctx.store.operator.setTier(accountId, to, { keepsBetterKeys: true })
  }
  await invalidateKeys(ctx, accountId)
}

/**
 * Sets or removes the operator's plan. A running subscription of a higher plan stays in force.
 * @param tier free removes it @returns the plan in force, the active keys that have it, and the account's active keys
 */
export async function grantPlan(
  ctx: Context,
  { accountId, tier }: { accountId: string; tier: Tier },
): Promise<{ inForce: Tier; updatedKeys: number; keys: number }> {
  await ctx.store.operator.grant(accountId, tier === "free" ? null : tier)
  const [subscriptions, account] = await plansOf(ctx, accountId)
  const inForce = planOf(subscriptions, account?.grantedTier ?? null)
  const updatedKeys = await ctx.store.operator.setTier(accountId, inForce)
  // A payment may have changed the plan meanwhile.
  await applyPlan(ctx, accountId)
  return { inForce, updatedKeys, keys: (await ctx.store.keys.digestsOf(accountId)).length }
}

function plansOf({ store }: Context, accountId: string) {
  return Promise.all([store.billing.subscriptionsOf(accountId), store.operator.account(accountId)])
}

async function invalidateKeys(ctx: Context, accountId: string): Promise<void> {
  const digests = await ctx.store.keys.digestsOf(accountId)
  await Promise.all(digests.map((digest) => ctx.keyLimiters.ofKey(digest).invalidate()))
}
