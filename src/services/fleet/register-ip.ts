import type { PoolIp } from "../../adapters/store/fleet-records.ts"
import type { Deps } from "../../deps.ts"

/** Puts a source IP into a pool; it may be registered before a node sends from it. */
export async function registerIp(
  { clock, fleetRecords }: Pick<Deps, "clock" | "fleetRecords">,
  { ip, pool }: { ip: string; pool: string },
): Promise<PoolIp> {
  return fleetRecords.saveIp({ ip, pool, registeredAt: clock.now() })
}
