import type { Context } from "../../context.ts"
import { suppressedHashes } from "../../domain/address/address-forms.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { domainOfName } from "../../domain/suppression/suppression.ts"

const PAGE = 500

/**
 * Rehashes entries with the current pepper while the former one is still configured. Entries with an erased address
 * stay. The platform limits writes per call, so whole lists are marked as incomplete at the edge. The edge then reads
 * the database until the copy is done. @returns how many entries were moved
 */
export async function rehashSuppressions(ctx: Context): Promise<number> {
  if ((await ctx.digests.candidates("", "")).length === 1) return 0
  const lists = new Set<string>()
  let moved = 0
  for (let [after, isMore] = [0, true]; isMore; ) {
    const page = await ctx.store.suppressions.named({ after, limit: PAGE })
    const moves = await Promise.all(
      page.map(async ({ list, addressHash: from, address }) => {
        const [to, ...former] = await hashesOf(ctx, address)
        // Skips entries whose hash does not match their address under a former pepper.
        return to !== undefined && former.includes(from) ? [{ list, from, to }] : []
      }),
    ).then((all) => all.flat())
    for (const { list } of moves) {
      if (lists.has(list)) continue
      lists.add(list)
      await ctx.flags.setFilled(list, "")
    }
    if (moves.length > 0) await ctx.store.suppressions.rehash(moves, ctx.clock.now())
    moved += moves.length
    after = page.at(-1)?.row ?? after
    isMore = page.length === PAGE
  }
  // Repeated, because a running copy may have passed an entry's new position before the entry was there.
  for (const list of lists) await ctx.flags.setFilled(list, "")
  return moved
}

/** The hashes of a stored name under every pepper, the current one first. */
async function hashesOf({ digests }: Pick<Context, "digests">, name: string): Promise<string[]> {
  const domain = domainOfName(name)
  if (domain !== null) return suppressedHashes(digests, { wholeDomain: domain })
  const parsed = parseAddress(name)
  return parsed.ok ? suppressedHashes(digests, { address: parsed }) : []
}
