import { inParallel } from "../../adapters/in-parallel.ts"
import type { Deps } from "../../deps.ts"
import { sameMark } from "../../domain/suppression/mark.ts"

export type RefreshNeeds = Pick<Deps, "suppressions" | "marks" | "clock">

const AT_A_TIME = 12
/** Another writer may have changed the truth between our reading and writing; then it is written again. */
const ROUNDS = 4

/**
 * Makes the edge's marks of some addresses on one list what the database says they are. Called after every change, and
 * before its answer goes out: the next answer about the address, wherever it comes from, knows.
 */
export async function refreshMarks(needs: RefreshNeeds, list: string, hashes: readonly string[]): Promise<void> {
  let open: readonly string[] = [...new Set(hashes)]
  let truth = await read(needs, list, open)
  for (let round = 0; round < ROUNDS && open.length > 0; round++) {
    await inParallel(open, AT_A_TIME, (hash) => needs.marks.put(list, hash, truth.get(hash) ?? null))
    const now = await read(needs, list, open)
    const written = truth
    open = open.filter((hash) => !sameMark(written.get(hash), now.get(hash)))
    truth = now
  }
}

async function read({ suppressions, clock }: RefreshNeeds, list: string, hashes: readonly string[]) {
  if (hashes.length === 0) return new Map()
  return (await suppressions.marks([list], hashes, clock.now())).get(list) ?? new Map()
}
