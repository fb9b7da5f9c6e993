import { inParallel } from "../../concurrency/in-parallel.ts"
import type { Context } from "../../context.ts"
import { type ErasedRows, rowsIn } from "../../domain/compliance/data-subject.ts"
import { AppError } from "../../errors.ts"
import { MAX_ROWS } from "./purge.ts"

/** Suppression flags that one call removes from the edge: a request may make a thousand KV operations. */
const PAGE = 800
const AT_A_TIME = 12

/**
 * Erases an account and its data, as much as one call can remove. A schedule erases the rest. Its keys are refused from
 * the next request on, and its mailbox can open a new account.
 * Results are shared by all accounts and name no account, so they stay. @throws AppError not_found
 */
export async function eraseCustomer(
  ctx: Context,
  accountId: string,
): Promise<{ tables: readonly ErasedRows[]; isComplete: boolean }> {
  if (!(await ctx.store.operator.account(accountId))) throw new AppError("not_found", "there is no such customer")
  // The account is closed first: rows written during the removal would stay.
  const digests = await ctx.store.keys.digestsOf(accountId)
  await ctx.store.erasure.closeAccount(accountId, ctx.clock.now())
  await Promise.all(digests.map((digest) => ctx.keyLimiters.ofKey(digest).invalidate()))
  const marked = await ctx.store.suppressions.hashes(accountId, { after: "", limit: PAGE })
  await inParallel(marked, AT_A_TIME, (hash) => ctx.flags.put(accountId, hash, null))
  if (marked.length === PAGE) {
    await ctx.store.erasure.deleteFlags(accountId, marked)
    return { tables: [{ table: "suppressions", removed: marked.length, blanked: 0 }], isComplete: false }
  }
  const tables = await ctx.store.erasure.eraseAccount(accountId, MAX_ROWS)
  return { tables, isComplete: rowsIn(tables) < MAX_ROWS }
}

/** Accounts that one scheduled run continues to erase. */
const ACCOUNTS_AT_ONCE = 5

/** Erases what the first call left of closed accounts: their owners can no longer sign in to repeat the call. */
export async function eraseClosedAccounts(ctx: Context): Promise<void> {
  for (const accountId of await ctx.store.erasure.closedAccounts(ACCOUNTS_AT_ONCE)) await eraseCustomer(ctx, accountId)
}
