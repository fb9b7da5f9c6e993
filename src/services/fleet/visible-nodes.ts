import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { FleetNode } from "../../adapters/fleet/fleet-node.ts"
import type { Owner } from "../../adapters/store/fleet/fleet.ts"
import type { Context } from "../../context.ts"
import { accountOf, type Caller } from "../../domain/accounts/caller.ts"
import { NEW } from "../../domain/fleet/nodes.ts"
import type { RouteName } from "../../domain/fleet/route-stats.ts"
import { playbookFor } from "../../domain/smtp-reply/playbooks.ts"
import { hasMailHost } from "../../domain/verification/evidence.ts"
import { AppError } from "../../errors.ts"
import { findMailRoute } from "../verification/find-facts.ts"

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

const DRAINED = "gets no new probes until it is resumed"

/** Returns why a node is not healthy, null when it is. For a draining node also the problem of its health. */
export function reasonOf({ drainedAt, health, failure }: FleetNode): string | null {
  const ofHealth = failure?.reason ?? (health ? health.reason : NEW)
  if (drainedAt === null) return ofHealth
  return ofHealth === null ? DRAINED : `${DRAINED}; ${ofHealth}`
}

/** Explains which nodes would probe an address of a domain now, and why. Sends DNS queries only. */
export async function explainRoute(
  ctx: Context,
  meter: UsageMeter,
  { caller, domain }: { caller: Caller; domain: string },
) {
  await meter.authorize()
  const route = await findMailRoute(ctx.dns, domain)
  const nodes = await visibleNodes(ctx, caller)
  if (!hasMailHost(route)) return { route, operator: null, weighed: [], passedOver: [] }
  const { operator } = playbookFor(route.hosts)
  const weighed = await ctx.fleet.score(accountOf(caller), { operator, domain, recipients: 1 })
  const assessed = new Set(weighed.map(({ node }) => node.id))
  const passedOver = nodes.filter(({ id }) => !assessed.has(id)).map((node) => ({ node, why: reasonFor(node) }))
  return { route, operator, weighed, passedOver }
}

function reasonFor(node: FleetNode): string {
  const { state, accountId } = node
  if (state !== "healthy" && state !== "degraded") return `${state}: ${reasonOf(node)}`
  return accountId === null ? "own nodes come first" : "serves its account only"
}

/** Returns the reason why a node does not use a source IP for an operator. */
export function pauseReasonOf(
  { fleet }: Pick<Context, "fleet">,
  name: RouteName,
  pausedIps: readonly string[],
): string {
  if (pausedIps.includes(name.sourceIp)) return "rests after blocks by several operators"
  const route = fleet.route(name)
  if (route?.drifted) return "canary addresses showed that its answers say nothing"
  return route?.breaker === "open" ? "blocked by the operator" : "avoided"
}
