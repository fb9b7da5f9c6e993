import type { ProbeRequest, RecipientOutcome } from "../../../schema/wire/probe.ts"
import type { FleetNode } from "../../adapters/fleet/fleet-node.ts"
import type { Canary } from "../../adapters/store/fleet/fleet-records.ts"
import { inParallel } from "../../concurrency/in-parallel.ts"
import type { Context } from "../../context.ts"
import { isDrift, readCanary } from "../../domain/fleet/outcome-class.ts"
import { type RouteName, routeKey } from "../../domain/fleet/route-stats.ts"
import { playbookFor } from "../../domain/smtp-reply/playbooks.ts"
import { hasMailHost } from "../../domain/verification/evidence.ts"
import { findMailRoute } from "../verification/find-facts.ts"

const WIDTH = 4
const DEADLINE_MS = 20_000
/** No probe begins after this: the next minute's run would repeat the probes that are still open. */
const RUN_MS = 30_000

interface Due {
  readonly canary: Canary
  readonly node: FleetNode
  readonly pair: RouteName
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
  const last = new Map((await ctx.store.fleetRecords.pairs()).map((pair) => [routeKey(pair), pair]))
  const since = ctx.clock.now() - ctx.config.canaryEveryMs
  const nodes = (await ctx.fleet.all()).filter(
    ({ accountId, state }) => accountId === null && (state === "healthy" || state === "degraded"),
  )
  return canaries.flatMap((canary) =>
    nodes.flatMap((node) =>
      node.sourceIps.flatMap((sourceIp): Due[] => {
        const pair = { nodeId: node.id, sourceIp, operator: canary.operator }
        const before = last.get(routeKey(pair))
        const isDue = (before?.canaryAt ?? 0) <= since
        return isDue ? [{ canary, node, pair, wasPaused: isDrift(before?.canary ?? null) }] : []
      }),
    ),
  )
}

async function runOne(ctx: Context, { canary, node, pair, wasPaused }: Due): Promise<void> {
  const { clock, log } = ctx
  const { fleetRecords } = ctx.store
  const outcomes = await probe(ctx, { canary, node, pair })
  const seen = readCanary(outcomes?.get(0) ?? null, outcomes?.get(1) ?? null)
  // An unclear result changes nothing.
  const finding = seen === "unclear" && wasPaused ? "blanket_refuse" : seen
  const detail = outcomes
    ? `existing: ${textOf(outcomes.get(0))}; missing: ${textOf(outcomes.get(1))}`
    : "DNS shows no mail host of this operator for their domain"
  await fleetRecords.recordCanary(pair, { finding, at: clock.now(), detail })
  if (isDrift(finding) !== wasPaused)
    log(wasPaused ? "canary_recovered" : "canary_drift", { node: node.id, operator: canary.operator, finding })
}

/** Returns the outcomes by address. Null when the domain does not use this operator's mail hosts now. */
async function probe(
  { dns, probes, randomToken }: Pick<Context, "dns" | "probes" | "randomToken">,
  { canary, node, pair }: Pick<Due, "canary" | "node" | "pair">,
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
    sourceIp: pair.sourceIp,
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
