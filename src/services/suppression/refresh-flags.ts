import { inParallel } from "../../concurrency/in-parallel.ts"
import type { Context } from "../../context.ts"
import { sameSuppressionFlags } from "../../domain/suppression/flags.ts"

const AT_A_TIME = 12
/** Another writer may change the database between the read and the write. Then the flags are written again. */
const ROUNDS = 4

/**
 * Writes the database's current flags of some addresses on one list to the edge. It runs after every change and before
 * the response, so that the next request from anywhere sees the change.
 */
export async function refreshFlags(ctx: Context, list: string, hashes: readonly string[]): Promise<void> {
  let open: readonly string[] = [...new Set(hashes)]
  let truth = await read(ctx, list, open)
  for (let round = 0; round < ROUNDS && open.length > 0; round++) {
    await inParallel(open, AT_A_TIME, (hash) => ctx.flags.put(list, hash, truth.get(hash) ?? null))
    const now = await read(ctx, list, open)
    const written = truth
    open = open.filter((hash) => !sameSuppressionFlags(written.get(hash), now.get(hash)))
    truth = now
  }
}

async function read(ctx: Context, list: string, hashes: readonly string[]) {
  if (hashes.length === 0) return new Map()
  return (await ctx.store.suppressions.flags([list], hashes, ctx.clock.now())).get(list) ?? new Map()
}
