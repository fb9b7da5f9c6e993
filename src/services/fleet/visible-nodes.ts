import type { FleetNode } from "../../adapters/probes/fleet-node.ts"
import type { Owner } from "../../adapters/store/fleet.ts"
import type { Deps } from "../../deps.ts"
import { accountOf, type Caller } from "../../domain/accounts/caller.ts"

/** Nodes somebody may know of: all for the operator, else the shared ones and those of one's own account. */
export async function visibleNodes({ fleet }: Pick<Deps, "fleet">, caller: Caller): Promise<readonly FleetNode[]> {
  const nodes = await fleet.all()
  if (caller.kind === "admin") return nodes
  const own = accountOf(caller)
  return nodes.filter(({ accountId }) => accountId === null || accountId === own)
}

/** Whose nodes a caller may change. */
export function ownerOf(caller: Caller): Owner {
  if (caller.kind === "admin") return "operator"
  if (caller.kind !== "member") throw new Error("strangers own no nodes")
  return { accountId: caller.accountId }
}
