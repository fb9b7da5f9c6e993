import type { Context } from "../../context.ts"
import { DAY_MS, MINUTE_MS } from "../../domain/time.ts"

/** No call runs this long: a reservation of this age is abandoned. */
const ABANDONED_MS = 5 * MINUTE_MS
/** A job's row precedes its charge. A charge without a job row is abandoned. */
const ORPHANED_MS = 60 * MINUTE_MS
/** A limiter uses a lease for minutes. The calls of one that could not be settled for a day are free. */
const LOST_LEASE_MS = DAY_MS

/** Refunds abandoned reservations and deletes stored idempotent answers after a day. */
export async function tidyAccounts(ctx: Context): Promise<void> {
  const now = ctx.clock.now()
  await ctx.store.charges.refundAbandoned({
    call: now - ABANDONED_MS,
    job: now - ORPHANED_MS,
    lease: now - LOST_LEASE_MS,
  })
  await ctx.store.idempotency.deleteBefore(now - DAY_MS)
}
