import type { NodeHealth } from "../../../schema/wire/health.ts"
import type { FleetNode } from "../../adapters/probes/fleet-node.ts"
import type { HealthCheck } from "../../adapters/probes/node-client.ts"
import type { CheckedHealth } from "../../adapters/store/fleet/fleet-records.ts"
import type { Stores } from "../../adapters/store/stores.ts"
import { inParallel } from "../../concurrency/in-parallel.ts"
import type { Context } from "../../context.ts"
import {
  isCheckSkipped,
  type NodeStatus,
  newNodeStatus,
  nextNodeStatus,
  type Observation,
} from "../../domain/routing/node-state.ts"
import { OPERATOR_NAMES } from "../../domain/smtp-reply/operators.ts"
import { MINUTE_MS } from "../../domain/time.ts"
import { checkNodeUrl } from "./check-node-url.ts"

/** A Worker has six connections. One is for the database. */
const WIDTH = 5
/** Results are saved after each batch of this many account nodes. */
const BATCH = 20
/** An open breaker of a node pauses a pair for all callers, until a little after the next health check. */
const HOLD_MS = 150_000
const TIDY_EVERY_MS = 10 * MINUTE_MS

/** Checks the health of all nodes, the operator's first, and saves their states and the operators that block them. */
export async function checkNodes(ctx: Context): Promise<void> {
  const { clock, fleet } = ctx
  const { fleetRecords } = ctx.store
  const startedAt = clock.now()
  await fleet.refresh()
  const nodes = await fleet.all()
  const isOfOperator = ({ accountId }: FleetNode) => accountId === null
  await checkEach(ctx, nodes.filter(isOfOperator))
  // Accounts may enrol any node. Dead ones must not delay the others.
  const others = nodes.filter((node) => !isOfOperator(node) && !(node.health && isCheckSkipped(node.health, startedAt)))
  for (let i = 0; i < others.length; i += BATCH) await checkEach(ctx, others.slice(i, i + BATCH))
  if (startedAt % TIDY_EVERY_MS < MINUTE_MS) await fleetRecords.deleteObsolete(clock.now())
  await fleet.refresh()
}

async function checkEach(ctx: Context, nodes: readonly FleetNode[]): Promise<void> {
  const { clock } = ctx
  const { fleetStore, fleetRecords } = ctx.store
  const checked: CheckedHealth[] = []
  const paused: Parameters<Stores["fleetStore"]["pauseRoutes"]>[0][number][] = []
  await inParallel(nodes, WIDTH, async (node) => {
    const response = await checkNode(ctx, node)
    checked.push(judge(ctx, node, response))
    // All callers read these pauses, and an account's node could report pairs without limit.
    if (response.kind !== "answered" || node.accountId !== null) return
    const openUntil = clock.now() + HOLD_MS
    for (const { sourceIp, operator, isOpen } of response.health.blocks)
      if (isOpen && OPERATOR_NAMES.has(operator)) paused.push({ nodeId: node.id, sourceIp, operator, openUntil })
  })
  await fleetRecords.saveHealth(checked)
  await fleetStore.pauseRoutes(paused)
}

async function checkNode(ctx: Context, node: FleetNode): Promise<HealthCheck> {
  const problem = node.isStatic ? null : await checkNodeUrl(ctx, node.url)
  return problem === null ? ctx.nodeClient.health(node) : { kind: "silent", error: problem }
}

function judge(
  { clock, log }: Pick<Context, "clock" | "log">,
  { id, health, isStatic }: FleetNode,
  response: HealthCheck,
): CheckedHealth {
  const now = clock.now()
  const before = health ?? firstStatus(isStatic, now)
  const next = nextNodeStatus(before, observationOf(response, health?.report ?? null), now)
  if (next.state !== before.state || health === null)
    log("node_state", { node: id, from: health?.state ?? null, to: next.state, reason: next.reason })
  const { state, reason, since, good, bad } = next
  return {
    ...{ nodeId: id, state, reason, since, good, bad, checkedAt: now },
    rttMs: response.kind === "answered" ? response.rttMs : null,
    skewMs: response.kind === "silent" || response.skewMs === null ? null : Math.round(response.skewMs),
    // The last report stays while the node is silent.
    report: response.kind === "answered" ? reportable(response.health) : (health?.report ?? null),
  }
}

/** All accounts see why a shared node is paused. Hosts of unknown operators would reveal others' domains. */
function reportable(health: NodeHealth): NodeHealth {
  return { ...health, blocks: health.blocks.filter(({ isOpen, operator }) => isOpen && OPERATOR_NAMES.has(operator)) }
}

/** A node in the settings is trusted. An enrolled node must first pass its health checks. */
function firstStatus(isStatic: boolean, now: number): NodeStatus {
  return isStatic ? { state: "healthy", reason: null, since: now, good: 0, bad: 0 } : newNodeStatus(now)
}

/** Reads a health response as an observation. @param last the report of the node's last response */
function observationOf(response: HealthCheck, last: NodeHealth | null): Observation {
  if (response.kind !== "answered") return response
  const { startedAt, draining, doctor, sourceIps, load } = response.health
  const hasReported = last !== null && last.startedAt === startedAt && last.doctor !== null
  return {
    kind: "answered",
    skewMs: response.skewMs,
    draining,
    fit: doctor?.fit ?? null,
    isFirstReport: doctor !== null && !hasReported,
    ips: sourceIps.length,
    resting: sourceIps.filter(({ quarantined }) => quarantined).length,
    load: load.active / load.concurrency,
  }
}
