import type { IntegrationSync } from "../../adapters/store/integrations/integration-syncs.ts"
import { whileRepeating } from "../../concurrency/repeat.ts"
import type { Context } from "../../context.ts"
import { RUN_LEASE } from "../../domain/lease.ts"
import { runSync } from "./run-sync.ts"

/** Concurrent syncs, and how long one scheduled run works on them. */
const AT_ONCE = 4
const RUN_MS = 45_000
/** After this time a sync goes to the end of the queue. */
const SLICE_MS = 15_000

/** Runs the due syncs, including those of crashed Workers. Renews their leases together. */
export async function sweepSyncs(ctx: Context): Promise<void> {
  const { clock, store } = ctx
  const until = clock.now() + RUN_MS
  const running = new Set<IntegrationSync>()
  const renew = async () => {
    if (running.size > 0) await store.integrationSyncs.renew([...running], clock.now() + RUN_LEASE.ms)
  }
  await whileRepeating(clock, { everyMs: RUN_LEASE.renewEveryMs, repeat: renew }, () =>
    workUntil(ctx, until, { running }),
  )
}

/** Runs due syncs. The first one starts another worker, so that a sweep without work is one statement. */
async function workUntil(
  ctx: Context,
  until: number,
  { running, workers = AT_ONCE }: { running: Set<IntegrationSync>; workers?: number },
): Promise<void> {
  let others: Promise<void> | null = null
  for (let now = ctx.clock.now(); now < until; now = ctx.clock.now()) {
    const sync = await ctx.store.integrationSyncs.claim({ now, leaseUntil: now + RUN_LEASE.ms })
    if (!sync) break
    running.add(sync)
    if (workers > 1) others ??= workUntil(ctx, until, { running, workers: workers - 1 })
    others?.catch(() => undefined) // `await others` reports it
    await runSync(ctx, sync, Math.min(until, now + SLICE_MS)).finally(() => running.delete(sync))
  }
  await others
}
