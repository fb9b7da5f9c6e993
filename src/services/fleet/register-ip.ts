import type { PoolIp } from "../../adapters/store/fleet/fleet-records.ts"
import type { Context } from "../../context.ts"

/** Assigns a source IP to a pool, also before a node sends from it. */
export async function registerIp(ctx: Context, { ip, pool }: { ip: string; pool: string }): Promise<PoolIp> {
  return ctx.store.fleetRecords.saveIp({ ip, pool, registeredAt: ctx.clock.now() })
}
