import { z } from "@hono/zod-openapi"
import { DOCTOR_RESULTS } from "../../../schema/vocabulary.ts"
import { RELEASE } from "../../../schema/wire/version.ts"
import type { FleetNode } from "../../adapters/fleet/fleet-node.ts"
import type { Context } from "../../context.ts"
import type { Caller } from "../../domain/accounts/caller.ts"
import { NODE_STATES, type NodeState } from "../../domain/fleet/nodes.ts"
import type { NodeAssessment } from "../../domain/fleet/router.ts"
import { iso } from "../../domain/time.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { arrayOf, component, round, wellFormedDomain } from "../../http/fields.ts"
import { domainName } from "../../http/input-fields.ts"
import { checkStaleNodes, isOfOperator } from "../../services/fleet/check-nodes.ts"
import { explainRoute, isOwnNode, ownNodes, pauseReasonOf, reasonOf } from "../../services/fleet/visible-nodes.ts"

const endpoint = endpointsOf("fleet")

const state = z.enum(NODE_STATES)
const Region = component("Region", {
  region: z.string(),
  status: state.openapi({ description: "State of its best node" }),
  nodes: z.int(),
  usable: z.int().openapi({ description: "Nodes available for probes" }),
  capacity: z.int().openapi({ description: "Concurrent SMTP sessions of those nodes" }),
})

const regions = endpoint("public", "GET /regions", {
  operationId: "listRegions",
  summary: "List the regions",
  description: "Returns the regions whose nodes probe mail servers. Needs no key.",
  answer: z.object({ regions: z.array(Region) }),
  async handle(c) {
    const shared = (await c.var.ctx.fleet.all()).filter(({ accountId }) => accountId === null)
    return { regions: [...byRegion(shared)].map(([name, nodes]) => presentRegion(name, nodes)) }
  },
})

export const Finding = z.object({
  check: z.string(),
  subject: z.string().nullable(),
  result: z.enum(DOCTOR_RESULTS),
  detail: z.string(),
})
export const VersionDiffers = z
  .boolean()
  .openapi({ description: "Whether it runs another version than the service (`release` of `/health`)" })
const NodeView = component("NodeHealth", {
  id: z.string(),
  state,
  reason: z.string().nullable(),
  since: z.iso.datetime().nullable(),
  draining_since: z.iso
    .datetime()
    .nullable()
    .openapi({ description: "Since when it gets no new probes; null when it is not draining" }),
  checked_at: z.iso.datetime().nullable(),
  version: z.string().nullable(),
  version_differs: VersionDiffers,
  rtt_ms: z.int().nullable(),
  clock_skew_ms: z.int().nullable(),
  load: z.number().openapi({ description: "Sessions in use, 0 to 1" }),
  active_sessions: z
    .int()
    .nullable()
    .openapi({ description: "SMTP sessions at its last report; null before the first" }),
  blocked_by: z.array(z.string()).openapi({ description: "Known mail operators that block it now" }),
  doctor: z
    .object({ fit: z.boolean(), ran_at: z.iso.datetime(), findings: z.array(Finding) })
    .nullable()
    .openapi({ description: "Problems that the node's doctor found" }),
})

const health = endpoint("key-or-admin", "GET /regions/health", {
  operationId: "regionsHealth",
  summary: "Get the regions' health",
  description:
    "Returns the load, round trip and self-checks of your own nodes by region. The admin secret covers all nodes.",
  answer: z.object({ regions: z.array(Region.extend({ probes: z.array(NodeView) })) }),
  async handle(c) {
    const { ctx, caller } = c.var
    const nodes = () => ownNodes(ctx, caller)
    // The operator also sees all nodes of accounts, which are too many to check for one answer.
    await checkStaleNodes(ctx, caller.kind === "admin" ? (await nodes()).filter(isOfOperator) : await nodes())
    const grouped = [...byRegion(await nodes())]
    const answer = grouped.map(([name, nodes]) => ({ ...presentRegion(name, nodes), probes: nodes.map(presentHealth) }))
    return { regions: answer }
  },
})

const Candidate = z.object({
  node_id: z.string(),
  region: z.string(),
  state,
  cost: z.number().openapi({ description: "Expected cost, in ms of waiting and risk; lower is better" }),
  latency_ms: z.number(),
  acceptance: z.number().openapi({ description: "Share of probes that this operator did not refuse, 0 to 1" }),
  load: z.number(),
  budget_left: z.number().openapi({ description: "Unused share of the rate that this operator accepts, 0 to 1" }),
  affinity: z.number().openapi({ description: "The preference for this node at this domain, 0 to 1" }),
  over_share: z.boolean().openapi({ description: "It recently had more than its share of probes" }),
  source_ips: z.array(z.string()).openapi({ description: "Only for your own nodes; the operator sees all" }),
  held_source_ips: arrayOf({ ip: z.string(), why: z.string() }),
})
const RouteView = component("Route", {
  domain: z.string(),
  operator: z.string().nullable(),
  mx: z.array(z.string()),
  chosen: z.string().nullable().openapi({ description: "The node with the lowest cost; null without a node" }),
  region: z.string().nullable(),
  explanation: z.string(),
  candidates: z.array(Candidate),
  passed_over: arrayOf({ node_id: z.string(), why: z.string() }),
})

const route = endpoint("key-or-admin", "GET /regions/route", {
  operationId: "explainRoute",
  summary: "Explain a route",
  description:
    "Names the node that would probe a domain, and why the others were passed over. It queries DNS only and sends no probe.",
  query: z.object({ domain: domainName() }),
  answer: RouteView,
  problems: [400],
  async handle(c) {
    const domain = wellFormedDomain(c.req.valid("query").domain)
    const { ctx, caller } = c.var
    const explained = await explainRoute(ctx, c.var.meter, { caller, domain })
    return presentRoute(ctx, { caller, domain, explained })
  },
})

type Explained = Awaited<ReturnType<typeof explainRoute>>

interface Route {
  readonly caller: Caller
  readonly domain: string
  readonly explained: Explained
}

function presentRoute(ctx: Context, { caller, domain, explained }: Route): z.infer<typeof RouteView> {
  const { route, operator, weighed, passedOver } = explained
  const best = weighed.find(({ usable }) => usable.length > 0) ?? weighed[0]
  return {
    domain,
    operator,
    mx: "hosts" in route ? route.hosts.map(({ host }) => host) : [],
    chosen: best?.node.id ?? null,
    region: best?.node.region ?? null,
    explanation: explain(explained, best),
    candidates: weighed.map((one) => presentCandidate(ctx, one, { operator: operator ?? "", caller })),
    passed_over: passedOver.map(({ node, why }) => ({ node_id: node.id, why })),
  }
}

function explain({ route, operator, weighed }: Explained, best: NodeAssessment<FleetNode> | undefined): string {
  if (operator === null) return `no mail server to probe: ${route.kind.replaceAll("_", " ")}`
  if (!best) return "no probe node is available now"
  if (best.usable.length === 0) return `${operator} blocks every source IP; one is tried anyway`
  const others =
    weighed.length > 1
      ? `the better of two out of ${weighed.length}, one of them preferred for the domain`
      : "the only node"
  const accepted = `${Math.round(best.acceptance * 100)} % of its probes were not refused by ${operator}`
  return `${best.node.id} has the lowest cost: ${accepted}, latency ${Math.round(best.latencyMs)} ms; each probe uses ${others}`
}

function presentCandidate(
  ctx: Context,
  weighed: NodeAssessment<FleetNode>,
  { operator, caller }: { operator: string; caller: Caller },
): z.infer<typeof Candidate> {
  const { node, cost, latencyMs, acceptance, load, budgetLeft, affinity, isOverloaded } = weighed
  const { usable, avoid } = isOwnNode(node, caller) ? weighed : { usable: [], avoid: [] }
  return {
    node_id: node.id,
    region: node.region,
    state: node.state,
    cost: round(cost, 1),
    latency_ms: round(latencyMs, 1),
    acceptance: round(acceptance),
    load: round(load),
    budget_left: round(budgetLeft),
    affinity: round(affinity),
    over_share: isOverloaded,
    source_ips: [...usable],
    held_source_ips: avoid.map((sourceIp) => {
      return { ip: sourceIp, why: pauseReasonOf(ctx, { nodeId: node.id, sourceIp, operator }, node.pausedIps) }
    }),
  }
}

function byRegion(nodes: readonly FleetNode[]): Map<string, FleetNode[]> {
  const regions = new Map<string, FleetNode[]>()
  for (const node of nodes) regions.set(node.region, [...(regions.get(node.region) ?? []), node])
  return new Map([...regions].toSorted(([a], [b]) => a.localeCompare(b)))
}

const BEST_FIRST: readonly NodeState[] = NODE_STATES

function presentRegion(region: string, nodes: readonly FleetNode[]): z.infer<typeof Region> {
  const usable = nodes.filter(({ state }) => state === "healthy" || state === "degraded")
  const status = BEST_FIRST.find((one) => nodes.some(({ state }) => state === one)) ?? "gone"
  return {
    region,
    status,
    nodes: nodes.length,
    usable: usable.length,
    capacity: usable.reduce((sum, { capacity }) => sum + capacity, 0),
  }
}

/** The version that a node runs, for an operator who looks for nodes to update. */
export function versionOf({ health, version }: FleetNode) {
  const current = health?.report?.version ?? version
  return { version: current, version_differs: Boolean(current) && current !== RELEASE }
}

function presentHealth(node: FleetNode): z.infer<typeof NodeView> {
  const { id, state, health, failure, load, drainedAt } = node
  const report = health?.report ?? null
  const doctor = report?.doctor ?? null
  return {
    id,
    state,
    reason: reasonOf(node),
    since: iso(drainedAt ?? failure?.since ?? health?.since ?? null),
    draining_since: iso(drainedAt),
    checked_at: health ? iso(health.checkedAt) : null,
    ...versionOf(node),
    rtt_ms: health?.rttMs ?? null,
    clock_skew_ms: health?.skewMs ?? null,
    load: round(load),
    active_sessions: report?.load.active ?? null,
    blocked_by: [...new Set((report?.blocks ?? []).filter(({ isOpen }) => isOpen).map(({ operator }) => operator))],
    doctor: doctor && {
      fit: doctor.fit,
      ran_at: iso(doctor.ranAt),
      findings: doctor.findings.filter(({ result }) => result !== "ok"),
    },
  }
}

export const regionEndpoints: Endpoint[] = [regions, health, route]
