import type { Context } from "../../context.ts"

/**
 * Makes the limiters of these accounts return the credits that they hold for later calls. Until then the ledger counts
 * such credits as used, so this precedes each exact reading. A limiter that does not answer returns nothing.
 * @returns whether credits were given back
 */
export async function recallLeases(ctx: Context, subjects: readonly string[]): Promise<boolean> {
  const { leases } = ctx.store
  const open = await leases.openOf(subjects)
  if (open.length === 0) return false
  return ctx.keyLimiters.recall(open, leases).catch(() => false)
}
