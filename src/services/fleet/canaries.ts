import type { CanaryFinding } from "../../../schema/vocabulary.ts"
import type { ProbeRequest, RecipientOutcome } from "../../../schema/wire/probe.ts"
import type { FleetNode } from "../../adapters/fleet/fleet-node.ts"
import type { Canary } from "../../adapters/store/fleet/fleet-records.ts"
import { inParallel } from "../../concurrency/in-parallel.ts"
import type { Context } from "../../context.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { isDrift, readCanary } from "../../domain/fleet/outcome-class.ts"
import { type RouteName, routeKey } from "../../domain/fleet/route-stats.ts"
import { playbookFor } from "../../domain/smtp-reply/playbooks.ts"
import { hasMailHost } from "../../domain/verification/evidence.ts"
import { AppError } from "../../errors.ts"
import { findMailRoute } from "../verification/find-facts.ts"

/**
 * Sets the canary addresses of a mail operator. Their domain must use this operator's mail hosts, because its answers
 * exclude source IPs at the operator.
 * @throws AppError bad_request when the hosts are another operator's, unavailable when DNS gives no answer
 */
export async function setCanary(
  ctx: Context,
  { operator, existing, missing }: { operator: string; existing: ValidAddress; missing: ValidAddress },
): Promise<Canary> {
  const { domain } = existing
  const route = await findMailRoute(ctx.dns, domain)
  if (route.kind === "dns_failure")
    throw new AppError("unavailable", `DNS gave no answer for ${domain}, so nothing is set; try again`)
  if (!hasMailHost(route))
    throw new AppError(
      "bad_request",
      `existing and missing: ${domain} has no mail host (${route.kind.replaceAll("_", " ")})`,
    )
  const actual = playbookFor(route.hosts).operator
  if (actual !== operator)
    throw new AppError(
      "bad_request",
      `operator: the mail hosts of ${domain} are those of ${actual}, not of ${operator}; use addresses there, or operator ${actual}`,
    )
  const canary = {
    operator,
    existing: existing.normalized,
    missing: missing.normalized,
    createdAt: ctx.clock.now(),
  }
  await ctx.store.fleetRecords.saveCanary(canary)
  return canary
}

/** The last probe of canary addresses from one source IP. */
export interface CanaryResult {
  readonly nodeId: string
  readonly sourceIp: string
  readonly finding: CanaryFinding
  readonly detail: string | null
  /** Unix milliseconds. */
  readonly checkedAt: number
}

/** Lists the canary addresses of each mail operator with their last results from the nodes of the registry. */
export async function listCanaries(ctx: Context) {
  const { fleetRecords } = ctx.store
  const [canaries, routes, nodes] = await Promise.all([fleetRecords.canaries(), fleetRecords.routes(), ctx.fleet.all()])
  const present = new Set(nodes.map(({ id }) => id))
  const results = routes
    .flatMap(({ operator, nodeId, sourceIp, canary: finding, canaryAt: checkedAt, detail }) => {
      if (finding === null || checkedAt === null || !present.has(nodeId)) return []
      return [{ operator, result: { nodeId, sourceIp, finding, detail, checkedAt } }]
    })
    .toSorted((a, b) => (keyOf(a.result) < keyOf(b.result) ? -1 : 1))
  return canaries.map((canary) => ({
    ...canary,
    results: results.filter(({ operator }) => operator === canary.operator).map(({ result }) => result),
  }))
}

function keyOf({ nodeId, sourceIp }: CanaryResult): string {
  return `${nodeId} ${sourceIp}`
}

const WIDTH = 4
const DEADLINE_MS = 20_000
/** No probe begins after this: the next minute's run would repeat the probes that are still open. */
const RUN_MS = 30_000

interface Due {
  readonly canary: Canary
  readonly node: FleetNode
  readonly sourceRoute: RouteName
  /** Whether it was paused before. */
  readonly wasPaused: boolean
}

/**
 * Probes an existing and a missing address at each mail operator from each source IP of the shared nodes. If both get
 * the same answer, the pair is paused until the answers differ again. Nodes of accounts never receive the addresses.
 */
export async function runCanaries(ctx: Context): Promise<void> {
  const canaries = await ctx.store.fleetRecords.canaries()
  if (canaries.length === 0) return
  const until = ctx.clock.now() + RUN_MS
  const due = await findDue(ctx, canaries)
  await inParallel(due, WIDTH, async (one) => {
    if (ctx.clock.now() < until) await runOne(ctx, one)
  })
  if (due.length > 0) await ctx.fleet.refresh()
}

async function findDue(ctx: Context, canaries: readonly Canary[]) {
  const last = new Map(
    (await ctx.store.fleetRecords.routes()).map((sourceRoute) => [routeKey(sourceRoute), sourceRoute]),
  )
  const since = ctx.clock.now() - ctx.config.canaryEveryMs
  const nodes = (await ctx.fleet.all()).filter(
    ({ accountId, state }) => accountId === null && (state === "healthy" || state === "degraded"),
  )
  return canaries.flatMap((canary) =>
    nodes.flatMap((node) =>
      node.sourceIps.flatMap((sourceIp): Due[] => {
        const sourceRoute = { nodeId: node.id, sourceIp, operator: canary.operator }
        const before = last.get(routeKey(sourceRoute))
        const isDue = (before?.canaryAt ?? 0) <= since
        return isDue ? [{ canary, node, sourceRoute, wasPaused: isDrift(before?.canary ?? null) }] : []
      }),
    ),
  )
}

async function runOne(ctx: Context, { canary, node, sourceRoute, wasPaused }: Due): Promise<void> {
  const { clock, log } = ctx
  const { fleetRecords } = ctx.store
  const outcomes = await probe(ctx, { canary, node, sourceRoute })
  const seen = readCanary(outcomes?.get(0) ?? null, outcomes?.get(1) ?? null)
  // An unclear result changes nothing.
  const finding = seen === "unclear" && wasPaused ? "blanket_refuse" : seen
  const detail = outcomes
    ? `existing: ${textOf(outcomes.get(0))}; missing: ${textOf(outcomes.get(1))}`
    : "DNS shows no mail host of this operator for their domain"
  await fleetRecords.recordCanary(sourceRoute, { finding, at: clock.now(), detail })
  if (isDrift(finding) !== wasPaused)
    log(wasPaused ? "canary_recovered" : "canary_drift", { node: node.id, operator: canary.operator, finding })
}

/** Returns the outcomes by address. Null when the domain does not use this operator's mail hosts now. */
async function probe(
  { dns, probes, randomToken }: Pick<Context, "dns" | "probes" | "randomToken">,
  { canary, node, sourceRoute }: Pick<Due, "canary" | "node" | "sourceRoute">,
): Promise<Map<number, RecipientOutcome> | null> {
  const addresses = [canary.existing, canary.missing]
  const route = await findMailRoute(dns, addresses[0]!.slice(addresses[0]!.lastIndexOf("@") + 1))
  if (!hasMailHost(route)) return null
  const playbook = playbookFor(route.hosts)
  if (playbook.operator !== canary.operator) return null
  const outcomes = new Map<number, RecipientOutcome>()
  const request: ProbeRequest = {
    requestId: randomToken(),
    deadlineMs: DEADLINE_MS,
    priority: "bulk",
    sourceIp: sourceRoute.sourceIp,
    avoidSourceIps: [],
    groups: [
      {
        mx: route.hosts.slice(0, 20).map(({ host, preference }) => ({ host, preference })),
        playbook: { ...playbook, control: "never" },
        recipients: addresses.map((address, index) => ({ index, address })),
        controls: [],
      },
    ],
  }
  const answer = await probes.probe(request, { accountId: null, onlyNode: node.id, preferNode: node.id })
  if (answer.kind === "lines") for await (const { index, outcome } of answer.lines) outcomes.set(index, outcome)
  return outcomes
}

/** Omits the reply text, which may hold the address. */
function textOf(outcome: RecipientOutcome | undefined): string {
  if (!outcome) return "no answer"
  return outcome.kind === "failure" ? outcome.failure : `${outcome.reply.code} ${outcome.reply.enhanced ?? ""}`.trim()
}
