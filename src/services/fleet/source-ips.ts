import type { IpListing } from "../../../schema/tables/fleet.ts"
import { isPublicAddress } from "../../../schema/wire/addresses.ts"
import type { FleetNode } from "../../adapters/fleet/fleet-node.ts"
import type { RouteCounts, RouteRow } from "../../adapters/store/fleet/fleet.ts"
import type { PoolIp } from "../../adapters/store/fleet/fleet-records.ts"
import type { Context } from "../../context.ts"
import type { Caller } from "../../domain/accounts/caller.ts"
import type { NodeState } from "../../domain/fleet/nodes.ts"
import { isDrift } from "../../domain/fleet/outcome-class.ts"
import { DEFAULT_ZONES, readRbl } from "../../domain/reference/rbl.ts"
import { DAY_MS, MINUTE_MS } from "../../domain/time.ts"
import { AppError } from "../../errors.ts"
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
  readonly held: readonly PausedAt[]
}

/** An operator that the source IP is not used for, until that time (Unix ms). Null means until a canary succeeds. */
interface PausedAt {
  readonly operator: string
  readonly until: number | null
  readonly why: string
}

const GENERAL_POOL = "general"

/** Lists source IPs with their counts: all for the operator, else those of the caller's own nodes. */
export async function listIps(ctx: Context, caller: Caller): Promise<SourceIp[]> {
  const now = ctx.clock.now()
  const [nodes, pools, routes, counts] = await Promise.all([
    ownNodes(ctx, caller),
    ctx.store.fleetRecords.ips(),
    ctx.store.fleetRecords.routes(),
    ctx.store.fleetRecords.countsSince(now - DAY_MS),
  ])
  const poolOf = new Map(pools.map(({ ip, pool }) => [ip, pool]))
  return nodes.flatMap((node) =>
    node.sourceIps.map((ip) => {
      const pool = poolOf.get(ip) ?? GENERAL_POOL
      return { ...describe(node, ip), ...stateOf({ node, ip, routes, counts, now }), pool }
    }),
  )
}

function describe(node: FleetNode, ip: string) {
  const { id, region, state, health, pausedIps } = node
  const spentToday = health?.report?.sourceIps.find((one) => one.ip === ip)?.spentToday ?? 0
  return { nodeId: id, region, state, resting: pausedIps.includes(ip), spentToday, ...listingsOf(node, ip) }
}

function stateOf({
  node,
  ip,
  routes,
  counts,
  now,
}: {
  node: FleetNode
  ip: string
  routes: readonly RouteRow[]
  counts: readonly RouteCounts[]
  now: number
}) {
  const isOurs = ({ nodeId, sourceIp }: { nodeId: string; sourceIp: string }) => nodeId === node.id && sourceIp === ip
  const own = counts.filter(isOurs)
  const held = routes.filter(isOurs).flatMap(({ operator, openUntil, canary, detail }): PausedAt[] => {
    if (isDrift(canary)) return [{ operator, until: null, why: `canary addresses: ${canary} (${detail})` }]
    return openUntil > now ? [{ operator, until: openUntil, why: "the operator blocks this source IP" }] : []
  })
  return {
    answered: own.reduce((sum, { answered }) => sum + answered, 0),
    blocked: own.reduce((sum, { blocked }) => sum + blocked, 0),
    held,
  }
}

/**
 * Labels a source IP with a pool, also before a node sends from it. Routing does not read pools.
 * @throws AppError bad_request for an address that no mail server on the internet can see
 */
export async function registerIp(ctx: Context, { ip, pool }: { ip: string; pool: string }): Promise<PoolIp> {
  if (!isPublicAddress(ip))
    throw new AppError("bad_request", `ip: ${ip} is not public: register the address that mail servers see`)
  return ctx.store.fleetRecords.saveIp({ ip, pool, registeredAt: ctx.clock.now() })
}

/** Removes a source IP from its pool. @throws AppError not_found */
export async function unregisterIp(ctx: Context, ip: string): Promise<void> {
  if (!(await ctx.store.fleetRecords.removeIp(ip))) throw new AppError("not_found", "this address is not registered")
}

/** Blocklist entries of a source IP. */
interface Listings {
  readonly ip: string
  readonly checked: readonly string[]
  readonly matched: readonly string[]
  /** Unix milliseconds, null before the first check. */
  readonly checkedAt: number | null
}

/** From the edge's own lookups, else from the node's doctor report. */
function listingsOf({ health }: FleetNode, ip: string): Listings {
  const own = health?.listings?.find((listing) => listing.ip === ip)
  if (own) return { ip, checked: own.checked, matched: own.matched, checkedAt: health?.listingsAt ?? null }
  const doctor = health?.report?.doctor
  const findings = doctor?.findings.filter(({ check, subject }) => check === "blocklists" && subject === ip) ?? []
  if (!doctor || findings.length === 0) return { ip, checked: [], matched: [], checkedAt: null }
  const matched = findings.filter(({ result }) => result === "fail" || result === "warn").map(({ detail }) => detail)
  return { ip, checked: [], matched, checkedAt: doctor.ranAt }
}

const EVERY_MS = 60 * MINUTE_MS
const PER_RUN = 5
const DEADLINE_MS = 8_000
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/

/**
 * Checks the source IPs of nodes on blocklists once an hour, through the node itself. The operator's nodes come first.
 * Each minute begins at another node, because a node that never answers is always due.
 */
export async function checkNodeBlocklists(ctx: Context): Promise<void> {
  const now = ctx.clock.now()
  const due = (await ctx.fleet.all()).filter(
    ({ health, state, sourceIps }) =>
      (state === "healthy" || state === "degraded") &&
      (health?.listingsAt ?? 0) <= now - EVERY_MS &&
      sourceIps.some(isListable),
  )
  const minute = Math.floor(now / MINUTE_MS)
  const [shared, own] = [true, false].map((isShared) =>
    startingAt(
      due.filter(({ accountId }) => (accountId === null) === isShared),
      minute,
    ),
  )
  await Promise.all([...shared!, ...own!].slice(0, PER_RUN).map((node) => checkNode(ctx, node)))
}

function startingAt(nodes: readonly FleetNode[], place: number): FleetNode[] {
  const first = place % nodes.length
  return [...nodes.slice(first), ...nodes.slice(0, first)]
}

async function checkNode(ctx: Context, node: FleetNode): Promise<void> {
  const ips = node.sourceIps.filter(isListable).slice(0, 32)
  const lookup = { requestId: ctx.randomToken(), ips, zones: [...DEFAULT_ZONES], deadlineMs: DEADLINE_MS }
  const answer = await ctx.nodeClient.rbl(node, lookup)
  if (!answer) return
  const listings = ips.map((ip): IpListing => {
    const zones = answer.zones.map((zone) => ({ ...zone, answers: zone.answers.filter((one) => one.ip === ip) }))
    const { checked, matched } = readRbl(zones)
    return { ip, checked, matched }
  })
  for (const { matched } of listings)
    if (matched.length > 0) ctx.log("source_ip_listed", { node: node.id, lists: matched })
  await ctx.store.fleetRecords.saveListings(node.id, listings, ctx.clock.now())
}

/** Blocklists hold public addresses, most of them IPv4 only. */
function isListable(ip: string): boolean {
  return IPV4.test(ip) && isPublicAddress(ip)
}
