import type { Context } from "../../context.ts"
import { deliverDue, SWEEP_MS } from "./deliver.ts"

/** How long the owner can see deliveries. */
const KEEP_MS = 30 * 24 * 3_600_000

/** Deletes old deliveries and retries due ones. Runs each minute. @param budgetMs no attempt begins after this time */
export async function sweepWebhooks(ctx: Context, budgetMs = SWEEP_MS): Promise<void> {
  const startedAt = ctx.clock.now()
  try {
    // First, because deliveries use all the remaining time.
    await ctx.store.webhookDeliveries.deleteBefore(startedAt - KEEP_MS)
  } finally {
    await deliverDue(ctx, startedAt + budgetMs)
  }
}
