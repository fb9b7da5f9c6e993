import type { NodeHealth } from "../../../schema/wire/health.ts"
import { inParallel } from "../../adapters/in-parallel.ts"
import type { FleetNode } from "../../adapters/probes/fleet-node.ts"
import type { HealthLook } from "../../adapters/probes/node-door.ts"
import type { Looked } from "../../adapters/store/fleet-records.ts"
import type { Deps } from "../../deps.ts"
import { isLeftAlone, newcomer, nextStanding, type Observation, type Standing } from "../../domain/fleet/node-state.ts"
import { OPERATOR_NAMES } from "../../domain/mail/operators.ts"
import { MINUTE_MS } from "../../domain/time.ts"
import { checkNodeUrl } from "./check-node-url.ts"

type Needs = Pick<Deps, "clock" | "log" | "fleet" | "fleetStore" | "fleetRecords" | "nodeDoor" | "dns" | "fleetRules">

/** A Worker waits on six connections; one is for the database. */
const WIDTH = 5
/** What so many nodes of accounts showed is kept before the next are looked at. */
const BATCH = 20
/** A node's own breaker holds a pair back for all, until the next look and a little longer. */
const HOLD_MS = 150_000
const TIDY_EVERY_MS = 10 * MINUTE_MS

/** Looks at nodes, the operator's first, and keeps in which state each is and which operators hold it off. */
export async function lookAtNodes(needs: Needs): Promise<void> {
  const { clock, fleet, fleetRecords } = needs
  const startedAt = clock.now()
  await fleet.refresh()
  const nodes = await fleet.all()
  const isOfOperator = ({ accountId }: FleetNode) => accountId === null
  await lookAtEach(needs, nodes.filter(isOfOperator))
  // Accounts enter what they like; what is dead among it must not keep the others waiting.
  const others = nodes.filter((node) => !isOfOperator(node) && !(node.health && isLeftAlone(node.health, startedAt)))
  for (let i = 0; i < others.length; i += BATCH) await lookAtEach(needs, others.slice(i, i + BATCH))
  if (startedAt % TIDY_EVERY_MS < MINUTE_MS) await fleetRecords.tidy(clock.now())
  await fleet.refresh()
}

async function lookAtEach(needs: Needs, nodes: readonly FleetNode[]): Promise<void> {
  const { clock, fleetStore, fleetRecords } = needs
  const looked: Looked[] = []
  const held: Parameters<Deps["fleetStore"]["hold"]>[0][number][] = []
  await inParallel(nodes, WIDTH, async (node) => {
    const look = await lookAt(needs, node)
    looked.push(judge(needs, node, look))
    // Everybody reads what is held back: an account's node could name pairs without end.
    if (look.kind !== "answered" || node.accountId !== null) return
    const openUntil = clock.now() + HOLD_MS
    for (const { sourceIp, operator, isOpen } of look.health.blocks)
      if (isOpen && OPERATOR_NAMES.has(operator)) held.push({ nodeId: node.id, sourceIp, operator, openUntil })
  })
  await fleetRecords.saveHealth(looked)
  await fleetStore.hold(held)
}

async function lookAt(needs: Needs, node: FleetNode): Promise<HealthLook> {
  const problem = node.isStatic ? null : await checkNodeUrl(needs, node.url)
  return problem === null ? needs.nodeDoor.health(node) : { kind: "silent", error: problem }
}

function judge({ clock, log }: Needs, { id, health, isStatic }: FleetNode, look: HealthLook): Looked {
  const now = clock.now()
  const before = health ?? firstStanding(isStatic, now)
  const next = nextStanding(before, observationOf(look), now)
  if (next.state !== before.state || health === null)
    log("node_state", { node: id, from: health?.state ?? null, to: next.state, reason: next.reason })
  const { state, reason, since, good, bad } = next
  return {
    ...{ nodeId: id, state, reason, since, good, bad, checkedAt: now },
    rttMs: look.kind === "answered" ? look.rttMs : null,
    skewMs: look.kind === "silent" || look.skewMs === null ? null : Math.round(look.skewMs),
    // What it said last, while it says nothing.
    report: look.kind === "answered" ? kept(look.health) : (health?.report ?? null),
  }
}

/** Every account may see what holds a shared node off: hosts without a name would tell whom others asked about. */
function kept(health: NodeHealth): NodeHealth {
  return { ...health, blocks: health.blocks.filter(({ isOpen, operator }) => isOpen && OPERATOR_NAMES.has(operator)) }
}

/** A node of the settings is vouched for; one that enrolled has to show itself first. */
function firstStanding(isStatic: boolean, now: number): Standing {
  return isStatic ? { state: "healthy", reason: null, since: now, good: 0, bad: 0 } : newcomer(now)
}

function observationOf(look: HealthLook): Observation {
  if (look.kind !== "answered") return look
  const { draining, doctor, sourceIps, load } = look.health
  return {
    kind: "answered",
    skewMs: look.skewMs,
    draining,
    fit: doctor?.fit ?? null,
    ips: sourceIps.length,
    resting: sourceIps.filter(({ quarantined }) => quarantined).length,
    load: load.active / load.concurrency,
  }
}
