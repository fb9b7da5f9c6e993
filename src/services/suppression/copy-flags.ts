import { inParallel } from "../../concurrency/in-parallel.ts"
import type { Context } from "../../context.ts"
import { refreshFlags } from "./refresh-flags.ts"

const PAGE = 500
const AT_A_TIME = 12

/**
 * Continues to copy a list from the database to the edge, where the last call stopped. It may be interrupted at any
 * time: until the copy is complete, requests read the database.
 * @param formerly the former list of the entries, whose flags are deleted
 */
export async function copyFlags(ctx: Context, list: string, formerly?: string): Promise<void> {
  for (let after = await ctx.flags.continueFilling(list); after !== null; ) {
    const hashes = await ctx.store.suppressions.hashes(list, { after, limit: PAGE })
    await refreshFlags(ctx, list, hashes)
    if (formerly !== undefined) await inParallel(hashes, AT_A_TIME, (hash) => ctx.flags.put(formerly, hash, null))
    after = hashes.length === PAGE ? hashes.at(-1)! : null
    await ctx.flags.setFilled(list, after)
  }
}
