import type { Deps } from "../../deps.ts"
import { parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { addressHashes } from "../../domain/suppression/address-hash.ts"
import { inParallel } from "../verification/in-parallel.ts"

type CacheNeeds = Pick<Deps, "cache" | "digests">

const AT_A_TIME = 12

/** What an address's result is called at the edge, under every pepper still honoured. */
export function resultHashes({ digests }: Pick<Deps, "digests">, address: ValidAddress): Promise<string[]> {
  return addressHashes(digests, address)
}

/** Takes the results of addresses out of the edge's cache. */
export async function forgetResults(needs: CacheNeeds, addresses: readonly string[]): Promise<void> {
  await inParallel(addresses, AT_A_TIME, async (text) => {
    const address = parseAddress(text)
    if (!address.ok) return
    for (const hash of await resultHashes(needs, address)) await needs.cache.delete(hash)
  })
}
