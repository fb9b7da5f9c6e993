import type { Context } from "../../context.ts"
import { openConnection } from "./connection.ts"
import { runSync } from "./run-sync.ts"

/** Concurrent syncs, and how long one scheduled run works on them. */
const AT_ONCE = 4
const RUN_MS = 45_000
/** After this time a sync goes to the end of the queue. */
const SLICE_MS = 15_000
const RESEALED_AT_ONCE = 20

/** Runs the due syncs, including those of crashed Workers, and seals credentials under a former key again. */
export async function sweepSyncs(ctx: Context): Promise<void> {
  const until = ctx.clock.now() + RUN_MS
  await Promise.all([resealFormer(ctx), ...Array.from({ length: AT_ONCE }, () => workUntil(ctx, until))])
}

async function workUntil(ctx: Context, until: number): Promise<void> {
  for (let now = ctx.clock.now(); now < until; now = ctx.clock.now()) {
    const sync = await ctx.store.integrationSyncs.claim({ now, leaseUntil: now + ctx.config.bulk.leaseMs })
    if (!sync) return
    await runSync(ctx, sync, Math.min(until, now + SLICE_MS))
  }
}

async function resealFormer(ctx: Context): Promise<void> {
  const former = await ctx.store.integrations.sealedOtherwise(ctx.sealer.keyId, RESEALED_AT_ONCE)
  for (const integration of former) await openConnection(ctx, integration)
}
