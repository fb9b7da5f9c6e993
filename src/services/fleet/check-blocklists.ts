import type { IpListing } from "../../../schema/tables/fleet.ts"
import { isPublicAddress } from "../../../schema/wire/addresses.ts"
import type { FleetNode } from "../../adapters/probes/fleet-node.ts"
import type { Deps } from "../../deps.ts"
import { readRbl } from "../../domain/mail/rbl.ts"
import { ASKED_ZONES } from "../../domain/mail/rbl-zones.ts"
import { MINUTE_MS } from "../../domain/time.ts"

type Needs = Pick<Deps, "clock" | "log" | "fleet" | "fleetRecords" | "nodeDoor" | "randomToken">

const EVERY_MS = 60 * MINUTE_MS
const PER_RUN = 5
const DEADLINE_MS = 8_000
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/

/**
 * Asks blocklists about the source IPs of nodes, each node's once an hour, through the node itself. The operator's come
 * first, and each minute another one begins: whoever never answers is due for ever.
 */
export async function checkBlocklists(needs: Needs): Promise<void> {
  const now = needs.clock.now()
  const due = (await needs.fleet.all()).filter(
    ({ health, state, sourceIps }) =>
      (state === "healthy" || state === "degraded") &&
      (health?.listingsAt ?? 0) <= now - EVERY_MS &&
      sourceIps.some(isAskable),
  )
  const minute = Math.floor(now / MINUTE_MS)
  const [shared, own] = [true, false].map((isShared) =>
    startingAt(
      due.filter(({ accountId }) => (accountId === null) === isShared),
      minute,
    ),
  )
  await Promise.all([...shared!, ...own!].slice(0, PER_RUN).map((node) => checkNode(needs, node)))
}

function startingAt(nodes: readonly FleetNode[], place: number): FleetNode[] {
  const first = place % nodes.length
  return [...nodes.slice(first), ...nodes.slice(0, first)]
}

async function checkNode({ clock, log, fleetRecords, nodeDoor, randomToken }: Needs, node: FleetNode): Promise<void> {
  const ips = node.sourceIps.filter(isAskable).slice(0, 32)
  const lookup = { requestId: randomToken(), ips, zones: [...ASKED_ZONES], deadlineMs: DEADLINE_MS }
  const answer = await nodeDoor.rbl(node, lookup)
  if (!answer) return
  const listings = ips.map((ip): IpListing => {
    const zones = answer.zones.map((zone) => ({ ...zone, answers: zone.answers.filter((one) => one.ip === ip) }))
    const { checked, matched } = readRbl(zones)
    return { ip, checked, matched }
  })
  for (const { matched } of listings) if (matched.length > 0) log("source_ip_listed", { node: node.id, lists: matched })
  await fleetRecords.saveListings(node.id, listings, clock.now())
}

/** Lists know public addresses, most of them IPv4 only. */
function isAskable(ip: string): boolean {
  return IPV4.test(ip) && isPublicAddress(ip)
}
