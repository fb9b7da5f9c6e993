import type { RblZoneAnswer } from "../../../schema/wire/rbl.ts"

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
type RblRule = Omit<RblZone, "zone">

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

/** The list with the highest penalty of those that list an address; null when none does. */
export function worstListing({ matched }: RblFinding): string | null {
  return matched.toSorted((a, b) => ruleOf(b).points - ruleOf(a).points)[0] ?? null
}

function readZone({ zone, listedTestPoint, cleanTestPoint, answers }: RblZoneAnswer): Reading {
  const rule = ruleOf(zone)
  if (!readTestPoint(rule, listedTestPoint) || cleanTestPoint?.length !== 0) return "not_consulted"
  const readings = answers.map(({ records }) => readRecords(rule, records))
  if (readings.includes("listed")) return "listed"
  return readings.includes("clean") ? "clean" : "not_consulted"
}

/** A list must list its test point (RFC 5782 §5). Some lists use a special answer for it. */
function readTestPoint(rule: RblRule, records: readonly string[] | null): boolean {
  return records?.some((record) => [...rule.listed, ...(rule.other ?? []), 2].includes(octetOf(record))) ?? false
}

function readRecords(rule: RblRule, records: readonly string[] | null): Reading {
  if (records === null) return "not_consulted"
  const octets = records.map(octetOf)
  if (octets.some((octet) => rule.listed.includes(octet))) return "listed"
  return octets.every((octet) => rule.other?.includes(octet)) ? "clean" : "not_consulted"
}

/** The x of 127.0.0.x, or -1 for every other answer. */
function octetOf(record: string): number {
  return Number(/^127\.0\.0\.(\d{1,3})$/.exec(record)?.[1] ?? -1)
}

function ruleOf(zone: string): RblRule {
  return RBL_ZONES.find((rule) => rule.zone === zone) ?? UNKNOWN_ZONE
}

/** A blocklist of IPv4 addresses and the meaning of its answers. */
interface RblZone {
  readonly zone: string
  /** Last octets of the documented answers 127.0.0.x that mean "listed". */
  readonly listed: readonly number[]
  /** Documented answers with another meaning. They count as an answer, but not as a listing. */
  readonly other?: readonly number[]
  /** Points that a listing costs, 1 to 30. */
  readonly points: number
  /** Queried only where a node's operator has an account with the list and names it in PROBE_RBL_ZONES. */
  readonly needsAccount?: true
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

/** Results as each list documents them. Other results count as no answer: 127.255.255.x and 127.0.0.1 are refusals. */
export const RBL_ZONES: readonly RblZone[] = [
  // .2 SBL, .3 CSS, .4-.7 XBL, .9 DROP. .10 and .11 PBL: addresses that should not send directly. An MX only receives.
  { zone: "zen.spamhaus.org", listed: [2, 3, 4, 5, 6, 7, 9], other: [10, 11], points: 15 },
  { zone: "bl.spamcop.net", listed: [2], points: 10 },
  { zone: "b.barracudacentral.org", listed: [2], points: 10 },
  { zone: "psbl.surriel.com", listed: [2], points: 8 },
  // .2 from the zero-hour list, .10-.12 from the reputation list, worst first.
  { zone: "bl.mailspike.net", listed: [2, 10, 11, 12], points: 8 },
  { zone: "dnsbl-1.uceprotect.net", listed: [2], points: 5 },
  { zone: "dnsbl.dronebl.org", listed: [...range(3, 19), 255], other: [2], points: 6 },
  { zone: "bl.blocklist.de", listed: range(2, 21), points: 5 },
  { zone: "all.s5h.net", listed: [2], points: 4 },
  { zone: "truncate.gbudb.net", listed: [2], points: 5 },
  { zone: "rbl.interserver.net", listed: [2], points: 4 },
  { zone: "ubl.unsubscore.com", listed: [2], points: 5 },
  { zone: "dnsbl.zapbl.net", listed: [2], points: 4 },
  { zone: "bl.nordspam.com", listed: [2], points: 4 },
  // .2 spam traps, .3 composite, .4 exploited hosts; .11 and .12 policy.
  { zone: "combined.mail.abusix.zone", listed: [2, 3, 4], other: [11, 12], points: 10, needsAccount: true },
]

/** The reading for a list outside the table. RFC 5782 §2.1 lets each list define 127.0.0.2 and above. */
const UNKNOWN_ZONE: RblRule = { listed: range(2, 254), points: 5 }

/** Lists that are queried by default. */
export const DEFAULT_ZONES: readonly string[] = RBL_ZONES.filter((zone) => !zone.needsAccount).map(({ zone }) => zone)
