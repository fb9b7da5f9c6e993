import type { Context } from "../../context.ts"
import type { Caller } from "../../domain/accounts/caller.ts"
import type { NodeState } from "../../domain/fleet/nodes.ts"
import { findOwnNode } from "./visible-nodes.ts"

/**
 * Ends the drain of a node. It gets probes again when its health allows it. Resuming a node in use changes nothing.
 * @returns its state from now on @throws AppError not_found
 */
export async function resumeNode(ctx: Context, { caller, id }: { caller: Caller; id: string }): Promise<NodeState> {
  const node = await findOwnNode(ctx, { caller, id })
  if (node.drainedAt === null) return node.state
  await ctx.store.fleetStore.resume(id)
  const { state } = await findOwnNode(ctx, { caller, id })
  ctx.log("node_state", { node: id, from: "draining", to: state, reason: "resumed" })
  return state
}
