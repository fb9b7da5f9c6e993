import type { Tier } from "../../../schema/vocabulary.ts"
import type { Account } from "../../adapters/store/operator.ts"
import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { AppError } from "../../errors.ts"

/**
 * Sets the plan of the account of a proven address and the tier of its keys, up or down; in force from the next request on.
 * Keys made for less than the plan stay so.
 * @returns the account as it was, and how many keys have the new tier @throws AppError bad_request, not_found
 */
export async function setTier(
  { gates, keys, operator }: Pick<Deps, "gates" | "keys" | "operator">,
  { email, tier }: { email: string; tier: Tier },
): Promise<{ account: Account; keys: number }> {
  const address = parseAddress(email)
  if (!address.ok) throw new AppError("bad_request", `the email in the path is not an address: ${address.message}`)
  const account = await operator.accountOf(cacheKey(address))
  if (!account)
    throw new AppError("not_found", "no account has proven to own this address; its owner must sign in once")
  const changed = await operator.setTier(account.accountId, tier)
  const digests = await keys.digestsOf(account.accountId)
  await Promise.all(digests.map((digest) => gates.ofKey(digest).forget()))
  return { account, keys: changed }
}
