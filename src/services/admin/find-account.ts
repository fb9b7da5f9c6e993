import type { Account } from "../../adapters/store/admin/operator.ts"
import type { Context } from "../../context.ts"
import { cacheKey } from "../../domain/address/address-forms.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { AppError } from "../../errors.ts"

const ID = /^(acc|kid)_/

/**
 * Finds an account by its id, by the id of one of its keys, or by the mailbox that its owner has proven. The owner address
 * of a key proves nothing: accounts without a proven mailbox are found by id only.
 * @throws AppError bad_request for text in none of these forms, not_found
 */
export async function findAccount(ctx: Context, given: string): Promise<Account> {
  const { operator, users } = ctx.store
  if (ID.test(given)) {
    const accountId = given.startsWith("kid_") ? await users.accountOfKey(given) : given
    const account = accountId === null ? null : await operator.account(accountId)
    if (!account) throw new AppError("not_found", "there is no such account")
    return account
  }
  const address = parseAddress(given)
  if (!address.ok)
    throw new AppError(
      "bad_request",
      `the path needs an account's id (acc_…), a key's id (kid_…) or a mailbox: ${address.message}`,
    )
  const account = await operator.accountOf(cacheKey(address))
  if (!account)
    throw new AppError(
      "not_found",
      "no account has proven this mailbox by signing in; use the account's id or a key's id, which GET /admin/users?search= finds by the owner of a key",
    )
  return account
}
