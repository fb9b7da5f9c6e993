import type { Deps } from "../../deps.ts"
import { inParallel } from "../verification/in-parallel.ts"
import { type RefreshNeeds, refreshMarks } from "./refresh-marks.ts"

export type FillNeeds = RefreshNeeds & Pick<Deps, "marks">

const PAGE = 500
const AT_A_TIME = 12

/**
 * Goes on bringing the edge what the database knows of a list, from where the last one has come to; nothing when the list
 * is whole. It may be cut off at any moment: until it has come to the end, the database is asked, and somebody goes on.
 * @param formerly the list they stood on, whose marks nobody reads any more
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
