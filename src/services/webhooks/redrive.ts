import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { Context } from "../../context.ts"
import { AppError } from "../../errors.ts"
import { deliverNow } from "./deliver.ts"

/** Restarts the delivery of an event and enables its receiver again. @throws AppError not_found */
export async function redrive(
  ctx: Context,
  meter: UsageMeter,
  { accountId, eventId }: { accountId: string; eventId: string },
): Promise<void> {
  await meter.authorize()
  const found = await ctx.store.webhookDeliveries.redrive(eventId, accountId, ctx.clock.now())
  if (!found) throw new AppError("not_found", "there is no such delivery")
  ctx.background(deliverNow(ctx, eventId))
}
