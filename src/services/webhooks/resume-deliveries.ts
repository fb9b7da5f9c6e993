import type { Context } from "../../context.ts"
import { deliverDue } from "./deliver.ts"

/** Delivers due events between two sweeps, so that those of a crashed Worker do not wait for a minute. */
export async function resumeDeliveries(ctx: Context): Promise<void> {
  if ((await ctx.store.webhookDeliveries.accountAt(0, ctx.clock.now())) === null) return
  await (ctx.webhookDispatcher?.sweep() ?? deliverDue(ctx))
}
