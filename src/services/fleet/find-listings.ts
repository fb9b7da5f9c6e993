import type { FleetNode } from "../../adapters/fleet/fleet-node.ts"

/** Blocklist entries of a source IP. */
export interface Listings {
  readonly ip: string
  readonly checked: readonly string[]
  readonly matched: readonly string[]
  /** Unix milliseconds, null before the first check. */
  readonly checkedAt: number | null
}

/** From the edge's own lookups, else from the node's doctor report. */
export function listingsOf({ health }: FleetNode, ip: string): Listings {
  const own = health?.listings?.find((listing) => listing.ip === ip)
  if (own) return { ip, checked: own.checked, matched: own.matched, checkedAt: health?.listingsAt ?? null }
  const doctor = health?.report?.doctor
  const findings = doctor?.findings.filter(({ check, subject }) => check === "blocklists" && subject === ip) ?? []
  if (!doctor || findings.length === 0) return { ip, checked: [], matched: [], checkedAt: null }
  const matched = findings.filter(({ result }) => result === "fail" || result === "warn").map(({ detail }) => detail)
  return { ip, checked: [], matched, checkedAt: doctor.ranAt }
}
