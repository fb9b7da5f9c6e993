import type { Deps } from "../../deps.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { addressHash, addressHashes } from "../../domain/suppression/address-hash.ts"

const PAGE = 500

type Needs = Pick<Deps, "clock" | "digests" | "marks" | "suppressions">

/**
 * Brings entries under the current pepper while the former one is still known, so that they are found without it later.
 * Entries whose address was erased stay where they are. The edge is told of lists, not of each entry, as a platform
 * allows a call only so many writes: it asks the database until it has been told all. @returns how many were moved
 */
export async function rehashSuppressions({ digests, suppressions, marks, clock }: Needs): Promise<number> {
  if ((await digests.candidates("", "")).length === 1) return 0
  const lists = new Set<string>()
  let moved = 0
  for (let [after, isMore] = [0, true]; isMore; ) {
    const page = await suppressions.named({ after, limit: PAGE })
    const moves = await Promise.all(
      page.map(async ({ list, addressHash: from, address }) => {
        const parsed = parseAddress(address)
        // What somebody else has put there is none of ours.
        if (!parsed.ok || !(await addressHashes(digests, parsed)).slice(1).includes(from)) return []
        return [{ list, from, to: await addressHash(digests, parsed) }]
      }),
    ).then((all) => all.flat())
    for (const { list } of moves) {
      if (lists.has(list)) continue
      lists.add(list)
      await marks.setFilled(list, "")
    }
    if (moves.length > 0) await suppressions.rehash(moves, clock.now())
    moved += moves.length
    after = page.at(-1)?.row ?? after
    isMore = page.length === PAGE
  }
  // Once more: a fill under way may have passed an entry's new place before the entry was there.
  for (const list of lists) await marks.setFilled(list, "")
  return moved
}
