import type { NodeHealth } from "../../../schema/wire/health.ts"
import type { FleetNode } from "../../adapters/fleet/fleet-node.ts"
import type { HealthCheck } from "../../adapters/fleet/node-client.ts"
import type { CheckedHealth } from "../../adapters/store/fleet/fleet-records.ts"
import type { Stores } from "../../adapters/store/stores.ts"
import { withDeadline } from "../../concurrency/deadlines.ts"
import { inParallel } from "../../concurrency/in-parallel.ts"
import type { Context } from "../../context.ts"
import {
  isCheckSkipped,
  newNodeStatus,
  nextNodeStatus,
  type Observation,
  wrongClockOf,
} from "../../domain/fleet/nodes.ts"
import { OPERATOR_NAMES } from "../../domain/smtp-reply/operators.ts"
import { MINUTE_MS } from "../../domain/time.ts"
import { checkNodeUrl } from "./node-registry.ts"

/** A Worker has six connections. One is for the database. */
const WIDTH = 5
/** Results are saved after each batch of this many account nodes. */
const BATCH = 20
/** An open breaker of a node pauses a pair for all callers, until a little after the next health check. */
const HOLD_MS = 150_000
const TIDY_EVERY_MS = 10 * MINUTE_MS
/** A health report that a caller reads is at most this old, and a caller causes no more checks than that. */
const STALE_MS = 10_000
/** The caller waits this long for nodes that answered lately. One that does not answer takes 5 s. */
const STALE_WAIT_MS = 2_000
/** A node that died is expected back soon, for example after a restart. */
const GONE_LATELY_MS = 5 * MINUTE_MS

/** Checks the health of all nodes, the operator's first, and saves their states and the operators that block them. */
export async function checkNodes(ctx: Context): Promise<void> {
  const { clock, fleet } = ctx
  const { fleetRecords } = ctx.store
  const startedAt = clock.now()
  await fleet.refresh()
  const nodes = await fleet.all()
  await checkEach(ctx, fleet.claimChecks(nodes.filter(isOfOperator), 0))
  // Accounts may enrol any node. Dead ones must not delay the others.
  const others = nodes.filter((node) => !isOfOperator(node) && !isSkipped(node, startedAt))
  for (let i = 0; i < others.length; i += BATCH) await checkEach(ctx, fleet.claimChecks(others.slice(i, i + BATCH), 0))
  if (startedAt % TIDY_EVERY_MS < MINUTE_MS) await fleetRecords.deleteObsolete(clock.now())
  await fleet.refresh()
}

/**
 * Checks the operator's nodes whose state changes within seconds: new and restarted ones, those without an answer, and
 * those that calls could not reach.
 */
export async function checkUnsettledNodes(ctx: Context): Promise<void> {
  const now = ctx.clock.now()
  const unsettled = (await ctx.fleet.all()).filter((node) => isOfOperator(node) && isUnsettled(node, now))
  const due = ctx.fleet.claimChecks(unsettled, 0)
  if (due.length === 0) return
  await checkEach(ctx, due)
  await ctx.fleet.refresh()
}

/**
 * Checks those of the nodes that were not checked in the last seconds, for a caller who wants to know their state. A node
 * that is gone is checked without the caller, who would wait for nothing. Never throws: an outage of the database leaves
 * the states as they are.
 */
export async function checkStaleNodes(ctx: Context, nodes: readonly FleetNode[]): Promise<void> {
  const now = ctx.clock.now()
  const expected = nodes.filter((node) => !isSkipped(node, now))
  const due = ctx.fleet.claimChecks(expected, STALE_MS)
  const [gone, others] = [due.filter(isGone), due.filter((node) => !isGone(node))]
  if (gone.length > 0) checkInBackground(ctx, gone)
  if (others.length > 0) await withDeadline(ctx.clock, checkInBackground(ctx, others), now + STALE_WAIT_MS)
}

function checkInBackground(ctx: Context, nodes: readonly FleetNode[]): Promise<void> {
  const checking = checkEach(ctx, nodes)
    .then(() => ctx.fleet.refresh())
    .catch((error: Error) => ctx.log("nodes_unchecked", { error: error.message }))
  ctx.background(checking)
  return checking
}

const isGone = ({ health }: FleetNode): boolean => health?.state === "gone"

export const isOfOperator = ({ accountId }: FleetNode): boolean => accountId === null

/** Whether no check is due, because the node has been gone for long. */
function isSkipped({ health }: FleetNode, now: number): boolean {
  return health !== null && isCheckSkipped(health, now)
}

function isUnsettled({ health, state, drainedAt }: FleetNode, now: number): boolean {
  if (health === null || health.report?.doctor === null || health.bad > 0) return true
  const wasLost = health.state === "gone" && now - health.since < GONE_LATELY_MS
  return wasLost || (drainedAt === null && state !== health.state)
}

interface Check {
  readonly node: FleetNode
  /** Unix ms. */
  readonly startedAt: number
  readonly response: HealthCheck
}

/** Checks claimed nodes, and saves the results. */
async function checkEach(ctx: Context, nodes: readonly FleetNode[]): Promise<void> {
  try {
    await checkAndSave(ctx, nodes)
  } finally {
    ctx.fleet.endChecks(nodes)
  }
}

async function checkAndSave(ctx: Context, nodes: readonly FleetNode[]): Promise<void> {
  const { clock } = ctx
  const { fleetStore, fleetRecords } = ctx.store
  const checks: Check[] = []
  const paused: Parameters<Stores["fleetStore"]["pauseRoutes"]>[0][number][] = []
  await inParallel(nodes, WIDTH, async (node) => {
    const startedAt = clock.now()
    const response = await checkNode(ctx, node)
    checks.push({ node, startedAt, response })
    // All callers read these pauses, and an account's node could report pairs without limit.
    if (response.kind !== "answered" || node.accountId !== null) return
    const openUntil = clock.now() + HOLD_MS
    for (const { sourceIp, operator, isOpen } of response.health.blocks)
      if (isOpen && OPERATOR_NAMES.has(operator)) paused.push({ nodeId: node.id, sourceIp, operator, openUntil })
  })
  const seen = checks.flatMap(({ response }) =>
    response.kind === "silent" || response.skewMs === null ? [] : [response.skewMs],
  )
  const skews = [...seen, ...knownSkews(await ctx.fleet.all(), nodes)]
  await fleetRecords.saveHealth(checks.map((check) => judge(ctx, check, skews)))
  await fleetStore.pauseRoutes(paused)
}

/** Clock differences of the operator's other nodes at their last check. */
function knownSkews(all: readonly FleetNode[], checked: readonly FleetNode[]): number[] {
  const ids = new Set(checked.map(({ id }) => id))
  return all.flatMap((node) => {
    const skewMs = node.health?.skewMs ?? null
    return skewMs === null || node.state !== "healthy" || ids.has(node.id) || !isOfOperator(node) ? [] : [skewMs]
  })
}

async function checkNode(ctx: Context, node: FleetNode): Promise<HealthCheck> {
  const problem = node.isStatic ? null : await checkNodeUrl(ctx, node.url)
  return problem === null ? ctx.nodeClient.health(node) : { kind: "silent", error: problem }
}

function judge(
  { log }: Pick<Context, "log">,
  { node: { id, health }, startedAt, response }: Check,
  skews: readonly number[],
): CheckedHealth {
  const before = health ?? newNodeStatus(startedAt)
  const next = nextNodeStatus(before, observationOf(response, { last: health?.report ?? null, skews }), startedAt)
  if (next.state !== before.state || health === null)
    log("node_state", { node: id, from: health?.state ?? null, to: next.state, reason: next.reason })
  const { state, reason, since, good, bad } = next
  return {
    nodeId: id,
    state,
    reason,
    since,
    good,
    bad,
    checkedAt: startedAt,
    previousAt: health?.checkedAt ?? null,
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

/**
 * Reads a health response as an observation.
 * @param last the report of the node's last response
 * @param skews clock differences of all nodes that were checked together
 */
function observationOf(
  response: HealthCheck,
  { last, skews }: { last: NodeHealth | null; skews: readonly number[] },
): Observation {
  if (response.kind === "silent") return response
  if (response.kind === "refused") return { ...response, wrongClock: wrongClockOf(skews, isClockRight(last)) }
  const { startedAt, draining, doctor, sourceIps, load } = response.health
  const hasReported = last !== null && last.startedAt === startedAt && last.doctor !== null
  return {
    kind: "answered",
    skewMs: response.skewMs,
    wrongClock: wrongClockOf(skews, isClockRight(response.health)),
    draining,
    fit: doctor?.fit ?? null,
    isFirstReport: doctor !== null && !hasReported,
    ips: sourceIps.length,
    paused: sourceIps.filter(({ quarantined }) => quarantined).length,
    load: load.active / load.concurrency,
  }
}

/** What the node's doctor found out about the node's own clock; null when it has found nothing out. */
function isClockRight(report: NodeHealth | null): boolean | null {
  const results = (report?.doctor?.findings ?? []).flatMap(({ check, result }) => (check === "clock" ? [result] : []))
  if (results.includes("fail") || results.includes("warn")) return false
  return results.includes("ok") ? true : null
}
