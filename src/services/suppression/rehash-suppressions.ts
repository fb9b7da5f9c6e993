import type { Deps } from "../../deps.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { addressHash, addressHashes } from "../../domain/suppression/address-hash.ts"
import { type RefreshNeeds, refreshMarks } from "./refresh-marks.ts"

const PAGE = 500

/**
 * Brings entries under the current pepper while a former one is honoured, so that they hold when it is not any more. Those
 * whose address was erased stay where they are. @returns how many were moved
 */
export async function rehashSuppressions(needs: RefreshNeeds & Pick<Deps, "digests">): Promise<number> {
  const { digests, suppressions, clock } = needs
  if ((await digests.candidates("", "")).length === 1) return 0
  let moved = 0
  for (let after = 0; ; ) {
    const page = await suppressions.named({ after, limit: PAGE })
    const moves = await Promise.all(
      page.map(async ({ list, addressHash: from, address }) => {
        const parsed = parseAddress(address)
        // What somebody else has put there is none of ours.
        if (!parsed.ok || !(await addressHashes(digests, parsed)).slice(1).includes(from)) return []
        return [{ list, from, to: await addressHash(digests, parsed) }]
      }),
    ).then((all) => all.flat())
    if (moves.length > 0) await suppressions.rehash(moves, clock.now())
    for (const [list, own] of Map.groupBy(moves, (move) => move.list))
      await refreshMarks(
        needs,
        list,
        own.flatMap(({ from, to }) => [from, to]),
      )
    moved += moves.length
    const last = page.at(-1)
    if (!last || page.length < PAGE) return moved
    after = last.row
  }
}
