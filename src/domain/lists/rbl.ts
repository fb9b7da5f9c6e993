import type { RblZoneAnswer } from "../../../schema/wire/rbl.ts"
import { RBL_ZONES, type RblZone, UNKNOWN_ZONE } from "./rbl-zones.ts"

/** The blocklist results for the IP addresses of a domain's MX hosts. */
export interface RblFinding {
  /** Lists that gave a valid answer. */
  readonly checked: readonly string[]
  /** Lists that contain at least one of the addresses. */
  readonly matched: readonly string[]
  /** Lists that refused, failed their self-test or gave no answer. They do not count. */
  readonly notConsulted: readonly string[]
}

type Reading = "listed" | "clean" | "not_consulted"

const MAX_PENALTY = 30

/** Reads the raw answers of a node. A list counts only when it passes its self-test and answers for an address. */
export function readRbl(zones: readonly RblZoneAnswer[]): RblFinding {
  const readings = zones.map((answer) => ({ zone: answer.zone, reading: readZone(answer) }))
  const zonesWith = (...wanted: Reading[]) =>
    readings.filter(({ reading }) => wanted.includes(reading)).map(({ zone }) => zone)
  return {
    checked: zonesWith("listed", "clean"),
    matched: zonesWith("listed"),
    notConsulted: zonesWith("not_consulted"),
  }
}

/** Score points for a finding, 0 to -30. */
export function rblPenalty({ matched }: RblFinding): number {
  const points = matched.reduce((sum, zone) => sum + ruleOf(zone).points, 0)
  return points === 0 ? 0 : -Math.min(MAX_PENALTY, points)
}

/** The list with the highest penalty among those that list an address; null when none does. */
export function worstListing({ matched }: RblFinding): string | null {
  return matched.toSorted((a, b) => ruleOf(b).points - ruleOf(a).points)[0] ?? null
}

function readZone({ zone, listedTestPoint, cleanTestPoint, answers }: RblZoneAnswer): Reading {
  const rule = ruleOf(zone)
  const passesSelfTest = readTestPoint(rule, listedTestPoint) && cleanTestPoint?.length === 0
  if (!passesSelfTest) return "not_consulted"
  const readings = answers.map(({ records }) => readRecords(rule, records))
  if (readings.includes("listed")) return "listed"
  return readings.includes("clean") ? "clean" : "not_consulted"
}

/** A list must list its test point (RFC 5782 §5). Some lists use a special answer for it. */
function readTestPoint(rule: Omit<RblZone, "zone">, records: readonly string[] | null): boolean {
  return records?.some((record) => [...rule.listed, ...(rule.other ?? []), 2].includes(octetOf(record))) ?? false
}

function readRecords(rule: Omit<RblZone, "zone">, records: readonly string[] | null): Reading {
  if (records === null) return "not_consulted"
  const octets = records.map(octetOf)
  if (octets.some((octet) => rule.listed.includes(octet))) return "listed"
  return octets.every((octet) => rule.other?.includes(octet)) ? "clean" : "not_consulted"
}

/** The x of 127.0.0.x, or -1 for every other answer. */
function octetOf(record: string): number {
  return Number(/^127\.0\.0\.(\d{1,3})$/.exec(record)?.[1] ?? -1)
}

function ruleOf(zone: string): Omit<RblZone, "zone"> {
  return RBL_ZONES.find((rule) => rule.zone === zone) ?? UNKNOWN_ZONE
}
