import type { StoredAbout } from "../../adapters/store/results/results.ts"
import type { Context } from "../../context.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { flagHashes } from "../../domain/feedback/address-hash.ts"
import { type AccountFlags, accountFlagsOf, NO_ACCOUNT_FLAGS } from "../../domain/feedback/flags.ts"
import { listsOf } from "../suppression/find-flags.ts"

/** What is stored about an address when its verification begins. */
export interface Known extends StoredAbout {
  readonly accountFlags: AccountFlags
}

export const NOTHING_KNOWN: Known = { result: null, facts: null, accountFlags: NO_ACCOUNT_FLAGS }

/**
 * Reads the stored result of an address, the facts of its domain and the account's flags of it, in one round trip.
 * @param accountId null for a caller without an account
 */
export async function lookUp(
  ctx: Context,
  { accountId, address }: { accountId: string | null; address: ValidAddress },
): Promise<Known> {
  const lists = listsOf(accountId)
  const hashes = await flagHashes(ctx.digests, address)
  const now = ctx.clock.now()
  const about = await ctx.store.results.lookUp({ key: cacheKey(address), domain: address.domain, lists, hashes, now })
  const flags = [...about.flags.values()].flatMap((list) => [...list.values()])
  return { result: about.result, facts: about.facts, accountFlags: accountFlagsOf(flags, now) }
}
