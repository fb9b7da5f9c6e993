import { inParallel } from "../../adapters/in-parallel.ts"
import type { Deps } from "../../deps.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { addressHashes } from "../../domain/suppression/address-hash.ts"

type CacheNeeds = Pick<Deps, "cache" | "digests">

const AT_A_TIME = 12

/** Takes the results of addresses out of the edge's cache, under every pepper still honoured. */
export async function forgetResults(needs: CacheNeeds, addresses: readonly string[]): Promise<void> {
  await inParallel(addresses, AT_A_TIME, async (text) => {
    const address = parseAddress(text)
    if (!address.ok) return
    for (const hash of await addressHashes(needs.digests, address)) await needs.cache.delete(hash)
  })
}
