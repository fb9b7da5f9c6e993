import type { DatabaseCheck } from "../../adapters/admin/installation-state.ts"
import type { Context } from "../../context.ts"
import { type StorageState, storageStateOf } from "../../domain/admin/installation.ts"
import { NODE_STATES, type NodeState } from "../../domain/fleet/nodes.ts"
import { checkDatabase } from "../installation/check-database.ts"
import { checkStaleNodes, isOfOperator } from "./check-nodes.ts"

export interface ServiceHealth {
  readonly database: DatabaseCheck
  /** Null where the platform stores the data. */
  readonly storage: StorageState | null
  readonly probeNodes: number
  /** Shared nodes by state. */
  readonly fleet: Readonly<Record<NodeState, number>>
  /** Unix milliseconds. */
  readonly time: number
}

/** Checks the service's dependencies. Never throws: an outage is part of the result. */
export async function checkHealth(ctx: Context): Promise<ServiceHealth> {
  const [database, space] = await Promise.all([checkDatabase(ctx), ctx.disk.space()])
  await checkStaleNodes(ctx, (await ctx.fleet.all()).filter(isOfOperator))
  const shared = (await ctx.fleet.all()).filter(isOfOperator)
  const counts = NODE_STATES.map((word) => [word, shared.filter(({ state }) => state === word).length] as const)
  const fleet = Object.fromEntries(counts) as Record<NodeState, number>
  return {
    database,
    storage: database.problem === "full" ? "full" : space && storageStateOf(space),
    probeNodes: fleet.healthy + fleet.degraded,
    fleet,
    time: ctx.clock.now(),
  }
}
