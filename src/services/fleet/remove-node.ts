import type { Deps } from "../../deps.ts"
import type { Caller } from "../../domain/accounts/caller.ts"
import { AppError } from "../../errors.ts"
import { ownerOf } from "./visible-nodes.ts"

/** Takes a node out of the registry; what it is being asked it may still answer. */
export async function removeNode(
  { fleet, fleetStore }: Pick<Deps, "fleet" | "fleetStore">,
  { caller, id }: { caller: Caller; id: string },
): Promise<void> {
  const isStatic = (await fleet.all()).some((node) => node.id === id && node.isStatic)
  if (isStatic && caller.kind === "admin")
    throw new AppError("conflict", "this node stands in PROBE_NODES: take it out there")
  if (!(await fleetStore.remove(id, ownerOf(caller))))
    throw new AppError("not_found", "there is no such node, or it is not yours")
  await fleet.refresh()
}
