import { inParallel } from "../../adapters/in-parallel.ts"
import type { Deps } from "../../deps.ts"
import { type RefreshNeeds, refreshMarks } from "./refresh-marks.ts"

export type FillNeeds = RefreshNeeds & Pick<Deps, "marks">

const PAGE = 500
const AT_A_TIME = 12

/**
 * Goes on copying a list from the database to the edge, from where the last call stopped; does nothing when all is
 * there. It may be cut off at any moment: until the list is whole the database is asked, and the next call goes on.
 * @param formerly the list the entries stood on before, whose marks nobody reads any more
 */
export async function fillMarks(needs: FillNeeds, list: string, formerly?: string): Promise<void> {
  for (let after = await needs.marks.takeUpFilling(list); after !== null; ) {
    const hashes = await needs.suppressions.hashes(list, { after, limit: PAGE })
    await refreshMarks(needs, list, hashes)
    if (formerly !== undefined) await inParallel(hashes, AT_A_TIME, (hash) => needs.marks.put(formerly, hash, null))
    after = hashes.length === PAGE ? hashes.at(-1)! : null
    await needs.marks.setFilled(list, after)
  }
}
