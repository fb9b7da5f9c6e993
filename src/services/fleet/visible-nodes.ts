import type { FleetNode } from "../../adapters/fleet/fleet-node.ts"
import type { Owner } from "../../adapters/store/fleet/fleet.ts"
import type { Context } from "../../context.ts"
import { accountOf, type Caller } from "../../domain/accounts/caller.ts"
import { AppError } from "../../errors.ts"

/** Nodes that the caller may see: all for the operator, else the shared ones and those of the caller's account. */
export async function visibleNodes({ fleet }: Pick<Context, "fleet">, caller: Caller): Promise<readonly FleetNode[]> {
  const nodes = await fleet.all()
  if (caller.kind === "admin") return nodes
  const own = accountOf(caller)
  return nodes.filter(({ accountId }) => accountId === null || accountId === own)
}

/**
 * Nodes whose addresses and counts the caller may see: all for the operator, else those of the caller's account. The
 * activity of shared nodes is for the operator only.
 */
export async function ownNodes({ fleet }: Pick<Context, "fleet">, caller: Caller): Promise<readonly FleetNode[]> {
  const nodes = await fleet.all()
  return nodes.filter((node) => isOwnNode(node, caller))
}

/**
 * Reads the registry and finds a node that the caller may change: any for the operator, else one of the caller's
 * account. @throws AppError not_found
 */
export async function findOwnNode(
  ctx: Pick<Context, "fleet">,
  { caller, id }: { caller: Caller; id: string },
): Promise<FleetNode> {
  // Another isolate may have enrolled it just now.
  await ctx.fleet.refresh()
  const node = (await ownNodes(ctx, caller)).find((one) => one.id === id)
  if (!node) throw new AppError("not_found", "there is no such node, or it is not yours")
  return node
}

export function isOwnNode({ accountId }: Pick<FleetNode, "accountId">, caller: Caller): boolean {
  return caller.kind === "admin" || (accountId !== null && accountId === accountOf(caller))
}

/** The owner whose nodes the caller may change. */
export function ownerOf(caller: Caller): Owner {
  if (caller.kind === "admin") return "operator"
  if (caller.kind !== "member") throw new Error("an anonymous caller owns no nodes")
  return { accountId: caller.accountId }
}
