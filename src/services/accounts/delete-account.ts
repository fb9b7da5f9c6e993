import type { Context } from "../../context.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { cacheKey } from "../../domain/address/address-forms.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { MINUTE_MS } from "../../domain/time.ts"
import { AppError } from "../../errors.ts"
import { eraseCustomer } from "../compliance/erase-customer.ts"
import { emailOf } from "./identify.ts"

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
      "forbidden",
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
