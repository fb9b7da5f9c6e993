import type { Account } from "../../adapters/store/accounts/operator.ts"
import type { Context } from "../../context.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { AppError } from "../../errors.ts"

/**
 * Finds an account by its id or by the mailbox that its owner has proven. The owner address of a key proves nothing:
 * accounts without a proven mailbox are found by id only. @throws AppError bad_request for a malformed mailbox,
 * not_found
 */
export async function findAccount(ctx: Context, idOrMailbox: string): Promise<Account> {
  const { operator } = ctx.store
  if (!idOrMailbox.includes("@")) {
    const account = await operator.account(idOrMailbox)
    if (!account) throw new AppError("not_found", "there is no such account")
    return account
  }
  const address = parseAddress(idOrMailbox)
  if (!address.ok) throw new AppError("bad_request", `the path holds no address: ${address.message}`)
  const account = await operator.accountOf(cacheKey(address))
  if (!account)
    throw new AppError(
      "not_found",
      "no account has proven this mailbox by signing in; GET /admin/users?search= finds accounts by the owner of a key",
    )
  return account
}
