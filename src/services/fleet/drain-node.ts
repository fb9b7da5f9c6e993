import type { Context } from "../../context.ts"
import type { Caller } from "../../domain/accounts/caller.ts"
import { findOwnNode } from "./visible-nodes.ts"

export interface DrainedNode {
  /** Unix milliseconds. */
  readonly drainedAt: number
  /** Usable nodes that are left to the callers of this node. */
  readonly nodesLeft: number
}

/**
 * Drains a node: it gets no new probe requests, and running ones end normally. It stays drained until it is resumed,
 * also after a restart. Draining it again changes nothing. @throws AppError not_found
 */
export async function drainNode(ctx: Context, { caller, id }: { caller: Caller; id: string }): Promise<DrainedNode> {
  const node = await findOwnNode(ctx, { caller, id })
  const drainedAt = await ctx.store.fleetStore.drain(id, ctx.clock.now())
  await ctx.fleet.refresh()
  if (node.drainedAt === null) ctx.log("node_state", { node: id, from: node.state, to: "draining", reason: "drained" })
  return { drainedAt, nodesLeft: await ctx.probes.count(node.accountId) }
}
