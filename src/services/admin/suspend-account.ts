import type { Context } from "../../context.ts"
import { dispatchChunks } from "../bulk/dispatch-chunks.ts"

/**
 * Suspends an account: its keys and sessions are refused from the next request on, and its jobs and syncs wait. No data
 * is removed. @returns false when the account was suspended already
 */
export async function suspendAccount(ctx: Context, accountId: string): Promise<boolean> {
  const now = ctx.clock.now()
  const isChanged = await ctx.store.users.setSuspended(accountId, now)
  await invalidateKeys(ctx, accountId)
  await ctx.store.jobChunks.recall(accountId, now)
  return isChanged
}

/** Resumes a suspended account: its credentials work again, and its jobs continue. @returns false when it was active */
export async function resumeAccount(ctx: Context, accountId: string): Promise<boolean> {
  const isChanged = await ctx.store.users.setSuspended(accountId, null)
  await invalidateKeys(ctx, accountId)
  ctx.background(dispatchChunks(ctx))
  return isChanged
}

async function invalidateKeys(ctx: Context, accountId: string): Promise<void> {
  const digests = await ctx.store.keys.digestsOf(accountId)
  await Promise.all(digests.map((digest) => ctx.keyLimiters.ofKey(digest).invalidate()))
}
