import type { NodeState } from "../../../schema/vocabulary.ts"
import type { FleetNode } from "../../adapters/probes/fleet-node.ts"
import type { PairCounts, PairRow } from "../../adapters/store/fleet.ts"
import type { Deps } from "../../deps.ts"
import type { Caller } from "../../domain/accounts/caller.ts"
import { isDrift } from "../../domain/fleet/canary.ts"
import { DAY_MS } from "../../domain/time.ts"
import { type Listings, listingsOf } from "./find-listings.ts"
import { visibleNodes } from "./visible-nodes.ts"

/** A source IP and how it stands. */
export interface SourceIp extends Listings {
  readonly nodeId: string
  readonly region: string
  readonly pool: string
  readonly state: NodeState
  /** It rests because several operators block it. */
  readonly resting: boolean
  readonly spentToday: number
  /** Of the last day. */
  readonly answered: number
  readonly blocked: number
  readonly held: readonly Held[]
}

/** An operator it is not used for, until then (Unix ms), or until it is well again. */
interface Held {
  readonly operator: string
  readonly until: number | null
  readonly why: string
}

const GENERAL_POOL = "general"

/** Every source IP a caller may know of. */
export async function listIps(
  needs: Pick<Deps, "clock" | "fleet" | "fleetRecords">,
  caller: Caller,
): Promise<SourceIp[]> {
  const now = needs.clock.now()
  const [nodes, pools, pairs, counts] = await Promise.all([
    visibleNodes(needs, caller),
    needs.fleetRecords.ips(),
    needs.fleetRecords.pairs(),
    needs.fleetRecords.countsSince(now - DAY_MS),
  ])
  const poolOf = new Map(pools.map(({ ip, pool }) => [ip, pool]))
  return nodes.flatMap((node) =>
    node.sourceIps.map((ip) => {
      const pool = poolOf.get(ip) ?? GENERAL_POOL
      return { ...describe(node, ip), ...standing({ node, ip, pairs, counts, now }), pool }
    }),
  )
}

function describe(node: FleetNode, ip: string) {
  const { id, region, state, health, resting } = node
  const spentToday = health?.report?.sourceIps.find((one) => one.ip === ip)?.spentToday ?? 0
  return { nodeId: id, region, state, resting: resting.includes(ip), spentToday, ...listingsOf(node, ip) }
}

interface Standing {
  readonly node: FleetNode
  readonly ip: string
  readonly pairs: readonly PairRow[]
  readonly counts: readonly PairCounts[]
  readonly now: number
}

function standing({ node, ip, pairs, counts, now }: Standing) {
  const isOurs = ({ nodeId, sourceIp }: { nodeId: string; sourceIp: string }) => nodeId === node.id && sourceIp === ip
  const own = counts.filter(isOurs)
  const held = pairs.filter(isOurs).flatMap(({ operator, openUntil, canary, detail }): Held[] => {
    if (isDrift(canary)) return [{ operator, until: null, why: `control addresses: ${canary} (${detail})` }]
    return openUntil > now ? [{ operator, until: openUntil, why: "the operator blocks this source IP" }] : []
  })
  return {
    answered: own.reduce((sum, { answered }) => sum + answered, 0),
    blocked: own.reduce((sum, { blocked }) => sum + blocked, 0),
    held,
  }
}
