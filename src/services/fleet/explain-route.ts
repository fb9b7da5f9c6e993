import type { FleetNode } from "../../adapters/probes/fleet-node.ts"
import type { Deps } from "../../deps.ts"
import { accountOf, type Caller } from "../../domain/accounts/caller.ts"
import type { PairName } from "../../domain/fleet/pair.ts"
import type { Weighed } from "../../domain/fleet/router.ts"
import { playbookFor } from "../../domain/mail/playbooks.ts"
import { hasMailHost } from "../../domain/verdict/domain-facts.ts"
import type { MailRoute } from "../../domain/verdict/evidence.ts"
import { findMailRoute } from "../verification/find-mail-route.ts"
import { visibleNodes } from "./visible-nodes.ts"

export interface RouteExplanation {
  readonly route: MailRoute
  readonly operator: string | null
  /** Best first. */
  readonly weighed: readonly Weighed<FleetNode>[]
  /** Nodes that would not be asked, each with its reason. */
  readonly passedOver: readonly { readonly node: FleetNode; readonly why: string }[]
}

/** From where an address of a domain would be asked about now, and why. Asks nobody but DNS. */
export async function explainRoute(
  needs: Pick<Deps, "dns" | "fleet" | "meter">,
  { caller, domain }: { caller: Caller; domain: string },
): Promise<RouteExplanation> {
  await needs.meter.admit()
  const route = await findMailRoute(needs.dns, domain)
  const nodes = await visibleNodes(needs, caller)
  if (!hasMailHost(route)) return { route, operator: null, weighed: [], passedOver: [] }
  const { operator } = playbookFor(route.hosts)
  const weighed = await needs.fleet.weigh(accountOf(caller), { operator, domain, recipients: 1 })
  const asked = new Set(weighed.map(({ node }) => node.id))
  const passedOver = nodes.filter(({ id }) => !asked.has(id)).map((node) => ({ node, why: whyNot(node) }))
  return { route, operator, weighed, passedOver }
}

function whyNot({ state, health, accountId }: FleetNode): string {
  if (state !== "healthy" && state !== "degraded") return `${state}: ${health?.reason ?? "not looked at yet"}`
  return accountId === null ? "own nodes come first" : "serves its account only"
}

/** What there is to say about the source IPs a node would not use. */
export function whyHeld({ fleet }: Pick<Deps, "fleet">, name: PairName, resting: readonly string[]): string {
  if (resting.includes(name.sourceIp)) return "rests after blocks by several operators"
  const pair = fleet.pair(name)
  if (pair?.drifted) return "control addresses showed that its answers say nothing"
  return pair?.breaker === "open" ? "blocked by the operator" : "avoided"
}
