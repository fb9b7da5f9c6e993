import type { FleetNode } from "../../adapters/fleet/fleet-node.ts"
import type { SenderDomain } from "../../adapters/store/fleet/fleet-records.ts"
import type { Context } from "../../context.ts"
import type { Caller } from "../../domain/accounts/caller.ts"
import { ownNodes } from "./visible-nodes.ts"

/** Lists registered sender domains: all for the operator, else those that the caller's own nodes use. */
export async function listSenderDomains(ctx: Context, caller: Caller): Promise<readonly SenderDomain[]> {
  const [registered, nodes] = await Promise.all([ctx.store.fleetRecords.senderDomains(), ownNodes(ctx, caller)])
  if (caller.kind === "admin") return registered
  const own = new Set(nodes.map(senderDomainOf))
  return registered.filter(({ domain }) => own.has(domain))
}

/** Returns the domain of a node's envelope sender, from its doctor report. */
export function senderDomainOf({ health }: FleetNode): string | null {
  return health?.report?.doctor?.findings.find(({ check }) => check === "sender")?.subject ?? null
}
