import type { IpListing } from "../../../schema/tables/fleet.ts"
import { isPublicAddress } from "../../../schema/wire/addresses.ts"
import type { FleetNode } from "../../adapters/fleet/fleet-node.ts"
import type { Context } from "../../context.ts"
import { DEFAULT_ZONES, readRbl } from "../../domain/reference/rbl.ts"
import { MINUTE_MS } from "../../domain/time.ts"

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
