import type { Deps } from "../../deps.ts"
import { type RefreshNeeds, refreshMarks } from "./refresh-marks.ts"

/** Entries removed in one go, and goes in one run: the rest waits for the next run, nobody sees it meanwhile. */
const AT_ONCE = 500
const GOES = 20

/** Removes expired suppressions and single-use tokens. They count as absent from the moment they expire; this only tidies up. */
export async function expireSuppressions(needs: RefreshNeeds & Pick<Deps, "receivers">): Promise<{ removed: number }> {
  let removed = 0
  await needs.receivers.forgetTokens(needs.clock.now())
  for (let go = 0; go < GOES; go++) {
    const gone = await needs.suppressions.removeExpired(needs.clock.now(), AT_ONCE)
    for (const [list, entries] of Map.groupBy(gone, (entry) => entry.list))
      await refreshMarks(
        needs,
        list,
        entries.map(({ addressHash }) => addressHash),
      )
    removed += gone.length
    if (gone.length < AT_ONCE) break
  }
  return { removed }
}
