import { inParallel } from "../../concurrency/in-parallel.ts"
import type { Context } from "../../context.ts"
import { addressHashes } from "../../domain/address/address-forms.ts"
import { parseAddress } from "../../domain/address/parse.ts"

const AT_A_TIME = 12

/** Removes the results of addresses from the edge cache, under every accepted pepper. */
export async function forgetResults(ctx: Context, addresses: readonly string[]): Promise<void> {
  await inParallel(addresses, AT_A_TIME, async (text) => {
    const address = parseAddress(text)
    if (!address.ok) return
    for (const hash of await addressHashes(ctx.digests, address)) await ctx.cache.delete(hash)
  })
}
