import { importTrustedKey, type TrustedKey } from "../../../schema/wire/keys.ts"
import type { RoutedNode } from "../../domain/fleet/node-set.ts"
import { newNodeStatus } from "../../domain/fleet/nodes.ts"
import type { Config } from "../../env.ts"
import type { FleetRows, HealthRow, NodeRow } from "../store/fleet/fleet.ts"
import type { NodeAddress } from "./node-client.ts"

/** A node as the edge sees it. */
export interface FleetNode extends RoutedNode, NodeAddress {
  /** The only account that the node serves; null: shared. */
  readonly accountId: string | null
  readonly isStatic: boolean
  /** As it is stored for all edges. */
  readonly health: HealthRow | null
  /** Calls of this isolate could not reach the node after its last check. Sets `state`, and is never stored. */
  readonly failure?: { readonly reason: string; readonly since: number }
  /** Since when its owner drains it, Unix ms; null when it is in use. */
  readonly drainedAt: number | null
  /** As it enrolled; its last report may have another. Null for a node of PROBE_NODES. */
  readonly version: string | null
}

/** Capacity of a node that states none. */
const CAPACITY = 1_000
/** Placeholder for the address that the node's system picks. */
const SYSTEM_SOURCE = "system"

/** Configured and enrolled nodes. A configured node replaces an enrolled node of the same name. */
export async function nodesOf(
  { probeNodes }: Pick<Config, "probeNodes">,
  { nodes, health, drains }: Pick<FleetRows, "nodes" | "health" | "drains">,
  now: number,
): Promise<FleetNode[]> {
  const healthOf = new Map(health.map((row) => [row.nodeId, row]))
  const drainOf = new Map(drains.map(({ nodeId, drainedAt }) => [nodeId, drainedAt]))
  const withDrain = (node: Omit<FleetNode, "drainedAt">): FleetNode => {
    const drainedAt = drainOf.get(node.id) ?? null
    return { ...node, drainedAt, state: drainedAt === null ? node.state : "draining" }
  }
  const fixed = probeNodes.map((node) => {
    const seen = healthOf.get(node.id) ?? null
    const own = live(seen, { sourceIps: [], capacity: 0 }, now)
    return withDrain({ ...node, ...own, accountId: null, isStatic: true, version: null })
  })
  const names = new Set(fixed.map(({ id }) => id))
  const enrolled = nodes
    .filter(({ id }) => !names.has(id))
    .map(async (row): Promise<FleetNode> => {
      const { id, region, url, accountId, version } = row
      const seen = healthOf.get(id) ?? null
      const publicKeys = await keysOf(row, now)
      return withDrain({ id, region, url, accountId, version, publicKeys, isStatic: false, ...live(seen, row, now) })
    })
  return [...fixed, ...(await Promise.all(enrolled))]
}

/** The node's health report, else the values from its enrollment. */
function live(health: HealthRow | null, row: Pick<NodeRow, "sourceIps" | "capacity">, now: number) {
  const report = health?.report ?? null
  const sourceIps = report ? report.sourceIps.map(({ ip }) => ip) : row.sourceIps
  const capacity = report?.load.concurrency ?? (row.capacity || CAPACITY)
  return {
    health,
    sourceIps: sourceIps.length > 0 ? sourceIps : [SYSTEM_SOURCE],
    capacity,
    state: health?.state ?? newNodeStatus(now).state,
    load: report ? report.load.active / capacity : 0,
    pausedIps: report ? report.sourceIps.filter(({ quarantined }) => quarantined).map(({ ip }) => ip) : [],
  }
}

/** Imported keys, by their text. */
const imported = new Map<string, TrustedKey>()
const MAX_KEYS = 1_000

async function keysOf({ publicKeys }: NodeRow, now: number): Promise<TrustedKey[]> {
  const valid = publicKeys.filter(({ notAfter }) => notAfter === null || notAfter > now)
  return Promise.all(
    valid.map(async ({ key }) => {
      const known = imported.get(key) ?? (await importTrustedKey(key))
      if (imported.size >= MAX_KEYS) imported.clear()
      imported.set(key, known)
      return known
    }),
  )
}
