import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { FleetNode } from "../../adapters/fleet/fleet-node.ts"
import type { Context } from "../../context.ts"
import { accountOf, type Caller } from "../../domain/accounts/caller.ts"
import type { RouteName } from "../../domain/fleet/route-stats.ts"
import type { NodeAssessment } from "../../domain/fleet/router.ts"
import { playbookFor } from "../../domain/smtp-reply/playbooks.ts"
import { hasMailHost, type MailRoute } from "../../domain/verification/evidence.ts"
import { findMailRoute } from "../verification/find-facts.ts"
import { reasonOf } from "./node-reason.ts"
import { visibleNodes } from "./visible-nodes.ts"

export interface RouteExplanation {
  readonly route: MailRoute
  readonly operator: string | null
  /** Best first. */
  readonly weighed: readonly NodeAssessment<FleetNode>[]
  /** Nodes that would not probe, each with its reason. */
  readonly passedOver: readonly { readonly node: FleetNode; readonly why: string }[]
}

/** Explains which nodes would probe an address of a domain now, and why. Sends DNS queries only. */
export async function explainRoute(
  ctx: Context,
  meter: UsageMeter,
  { caller, domain }: { caller: Caller; domain: string },
): Promise<RouteExplanation> {
  await meter.authorize()
  const route = await findMailRoute(ctx.dns, domain)
  const nodes = await visibleNodes(ctx, caller)
  if (!hasMailHost(route)) return { route, operator: null, weighed: [], passedOver: [] }
  const { operator } = playbookFor(route.hosts)
  const weighed = await ctx.fleet.score(accountOf(caller), { operator, domain, recipients: 1 })
  const asked = new Set(weighed.map(({ node }) => node.id))
  const passedOver = nodes.filter(({ id }) => !asked.has(id)).map((node) => ({ node, why: reasonFor(node) }))
  return { route, operator, weighed, passedOver }
}

function reasonFor(node: FleetNode): string {
  const { state, accountId } = node
  if (state !== "healthy" && state !== "degraded") return `${state}: ${reasonOf(node)}`
  return accountId === null ? "own nodes come first" : "serves its account only"
}

/** Returns the reason why a node does not use a source IP for an operator. */
export function pauseReasonOf({ fleet }: Pick<Context, "fleet">, name: RouteName, resting: readonly string[]): string {
  if (resting.includes(name.sourceIp)) return "rests after blocks by several operators"
  const pair = fleet.route(name)
  if (pair?.drifted) return "canary addresses showed that its answers say nothing"
  return pair?.breaker === "open" ? "blocked by the operator" : "avoided"
}
