import type { Context } from "../../context.ts"
import type { Caller } from "../../domain/accounts/caller.ts"
import { AppError } from "../../errors.ts"
import { ownerOf } from "./visible-nodes.ts"

/** Removes a node from the registry. Its running requests may still complete. */
export async function removeNode(ctx: Context, { caller, id }: { caller: Caller; id: string }): Promise<void> {
  const isStatic = (await ctx.fleet.all()).some((node) => node.id === id && node.isStatic)
  if (isStatic && caller.kind === "admin")
    throw new AppError("conflict", "this node is listed in PROBE_NODES: remove it there")
  if (!(await ctx.store.fleetStore.remove(id, ownerOf(caller))))
    throw new AppError("not_found", "there is no such node, or it is not yours")
  await ctx.fleet.refresh()
}
