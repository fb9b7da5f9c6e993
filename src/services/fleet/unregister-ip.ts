import type { Context } from "../../context.ts"
import { AppError } from "../../errors.ts"

/** Removes a source IP from its pool. @throws AppError not_found */
export async function unregisterIp(ctx: Context, ip: string): Promise<void> {
  if (!(await ctx.store.fleetRecords.removeIp(ip))) throw new AppError("not_found", "this address is not registered")
}
