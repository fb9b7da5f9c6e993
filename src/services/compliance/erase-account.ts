import { inParallel } from "../../concurrency/in-parallel.ts"
import type { Context } from "../../context.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { testAccountOf } from "../../domain/accounts/test-mode.ts"
import { cacheKey } from "../../domain/address/address-forms.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { type ErasedRows, rowsIn } from "../../domain/compliance/data-subject.ts"
import { MINUTE_MS } from "../../domain/time.ts"
import { AppError } from "../../errors.ts"
import { emailOf } from "../accounts/identify.ts"
import { MAX_ROWS } from "./erase-data.ts"

/** A session younger than this proves the mailbox. A stolen cookie is usually older. */
export const PROOF_MINUTES = 15
/** Subscriptions in these states cost nothing any more. */
const ENDED = ["canceled", "incomplete", "incomplete_expired"]

/**
 * Deletes the caller's own account with all its data, irreversibly. @param confirm the account's mailbox, typed by its
 * owner @returns false when a schedule erases the rest
 * @throws AppError forbidden for an older session, bad_request for another mailbox, conflict while a subscription runs
 */
export async function deleteOwnAccount(
  ctx: Context,
  { caller, confirm }: { caller: Member; confirm: string },
): Promise<boolean> {
  const { accountId, signedInAt = 0 } = caller
  if (ctx.clock.now() - signedInAt > PROOF_MINUTES * MINUTE_MS)
    throw new AppError(
      "session_too_old",
      `the session is older than ${PROOF_MINUTES} minutes; sign in again and repeat the call`,
    )
  const typed = parseAddress(confirm)
  if (!typed.ok || cacheKey(typed) !== emailOf(caller))
    throw new AppError("bad_request", "confirm: must be the mailbox of this account")
  const subscriptions = await ctx.store.billing.subscriptionsOf(accountId)
  if (subscriptions.some(({ status }) => !ENDED.includes(status)))
    throw new AppError(
      "conflict",
      "a subscription is still running; cancel it first, so that no further payment is taken",
    )
  const { isComplete } = await eraseCustomer(ctx, accountId)
  return isComplete
}

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
  for (const owner of [accountId, testAccountOf(accountId)]) {
    const removed = await removeMarks(ctx, owner)
    if (removed === PAGE) return { tables: [{ table: "suppressions", removed, blanked: 0 }], isComplete: false }
  }
  const tables = await ctx.store.erasure.eraseAccount(accountId, MAX_ROWS)
  return { tables, isComplete: rowsIn(tables) < MAX_ROWS }
}

/** Removes suppression flags of an account from the edge; a full page from the database too. @returns how many */
async function removeMarks(ctx: Context, accountId: string): Promise<number> {
  const marked = await ctx.store.suppressions.hashes(accountId, { after: "", limit: PAGE })
  await inParallel(marked, AT_A_TIME, (hash) => ctx.flags.put(accountId, hash, null))
  if (marked.length === PAGE) await ctx.store.erasure.deleteFlags(accountId, marked)
  return marked.length
}

/** Accounts that one scheduled run continues to erase. */
const ACCOUNTS_AT_ONCE = 5

/** Erases what the first call left of closed accounts: their owners can no longer sign in to repeat the call. */
export async function eraseClosedAccounts(ctx: Context): Promise<void> {
  for (const accountId of await ctx.store.erasure.closedAccounts(ACCOUNTS_AT_ONCE)) await eraseCustomer(ctx, accountId)
}
