import type { FleetNode } from "../../adapters/fleet/fleet-node.ts"
import type { RouteCounts, RouteRow } from "../../adapters/store/fleet/fleet.ts"
import type { Context } from "../../context.ts"
import type { Caller } from "../../domain/accounts/caller.ts"
import type { NodeState } from "../../domain/fleet/nodes.ts"
import { isDrift } from "../../domain/fleet/outcome-class.ts"
import { DAY_MS } from "../../domain/time.ts"
import { type Listings, listingsOf } from "./find-listings.ts"
import { ownNodes } from "./visible-nodes.ts"

/** A source IP and its reputation. */
export interface SourceIp extends Listings {
  readonly nodeId: string
  readonly region: string
  readonly pool: string
  readonly state: NodeState
  /** Paused because several operators block it. */
  readonly resting: boolean
  readonly spentToday: number
  /** Of the last day. */
  readonly answered: number
  readonly blocked: number
  readonly held: readonly Held[]
}

/** An operator that the source IP is not used for, until that time (Unix ms). Null means until a canary succeeds. */
interface Held {
  readonly operator: string
  readonly until: number | null
  readonly why: string
}

const GENERAL_POOL = "general"

/** Lists source IPs with their counts: all for the operator, else those of the caller's own nodes. */
export async function listIps(ctx: Context, caller: Caller): Promise<SourceIp[]> {
  const now = ctx.clock.now()
  const [nodes, pools, pairs, counts] = await Promise.all([
    ownNodes(ctx, caller),
    ctx.store.fleetRecords.ips(),
    ctx.store.fleetRecords.pairs(),
    ctx.store.fleetRecords.countsSince(now - DAY_MS),
  ])
  const poolOf = new Map(pools.map(({ ip, pool }) => [ip, pool]))
  return nodes.flatMap((node) =>
    node.sourceIps.map((ip) => {
      const pool = poolOf.get(ip) ?? GENERAL_POOL
      return { ...describe(node, ip), ...stateOf({ node, ip, pairs, counts, now }), pool }
    }),
  )
}

function describe(node: FleetNode, ip: string) {
  const { id, region, state, health, resting } = node
  const spentToday = health?.report?.sourceIps.find((one) => one.ip === ip)?.spentToday ?? 0
  return { nodeId: id, region, state, resting: resting.includes(ip), spentToday, ...listingsOf(node, ip) }
}

interface IpState {
  readonly node: FleetNode
  readonly ip: string
  readonly pairs: readonly RouteRow[]
  readonly counts: readonly RouteCounts[]
  readonly now: number
}

function stateOf({ node, ip, pairs, counts, now }: IpState) {
  const isOurs = ({ nodeId, sourceIp }: { nodeId: string; sourceIp: string }) => nodeId === node.id && sourceIp === ip
  const own = counts.filter(isOurs)
  const held = pairs.filter(isOurs).flatMap(({ operator, openUntil, canary, detail }): Held[] => {
    if (isDrift(canary)) return [{ operator, until: null, why: `canary addresses: ${canary} (${detail})` }]
    return openUntil > now ? [{ operator, until: openUntil, why: "the operator blocks this source IP" }] : []
  })
  return {
    answered: own.reduce((sum, { answered }) => sum + answered, 0),
    blocked: own.reduce((sum, { blocked }) => sum + blocked, 0),
    held,
  }
}
