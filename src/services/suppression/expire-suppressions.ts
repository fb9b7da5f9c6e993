import type { Context } from "../../context.ts"
import { refreshFlags } from "./refresh-flags.ts"

/** Entries removed in one batch, and batches in one run. The next run removes the remaining ones. */
const AT_ONCE = 500
const BATCHES = 20

/** Deletes expired suppressions and single-use tokens, which are inactive from their expiry on. */
export async function expireSuppressions(ctx: Context): Promise<{ removed: number }> {
  let removed = 0
  await ctx.store.receivers.deleteExpiredTokens(ctx.clock.now())
  for (let batch = 0; batch < BATCHES; batch++) {
    const expired = await ctx.store.suppressions.removeExpired(ctx.clock.now(), AT_ONCE)
    for (const [list, entries] of Map.groupBy(expired, (entry) => entry.list))
      await refreshFlags(
        ctx,
        list,
        entries.map(({ addressHash }) => addressHash),
      )
    removed += expired.length
    if (expired.length < AT_ONCE) break
  }
  return { removed }
}
