import { isPublicAddress } from "../../../schema/wire/addresses.ts"
import type { PoolIp } from "../../adapters/store/fleet/fleet-records.ts"
import type { Context } from "../../context.ts"
import { AppError } from "../../errors.ts"

/**
 * Labels a source IP with a pool, also before a node sends from it. Routing does not read pools.
 * @throws AppError bad_request for an address that no mail server on the internet can see
 */
export async function registerIp(ctx: Context, { ip, pool }: { ip: string; pool: string }): Promise<PoolIp> {
  if (!isPublicAddress(ip))
    throw new AppError("bad_request", `ip: ${ip} is not public: register the address that mail servers see`)
  return ctx.store.fleetRecords.saveIp({ ip, pool, registeredAt: ctx.clock.now() })
}
