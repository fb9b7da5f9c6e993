import { isIPv4 } from "node:net"
import type { DoctorFinding } from "../../schema/wire/health.ts"
import type { RblZoneAnswer } from "../../schema/wire/rbl.ts"
import { dialPort } from "../address-policy.ts"
import { Findings, listed } from "./finding.ts"
import type { DoctorNeeds } from "./needs.ts"
import type { OwnAddress } from "./own-addresses.ts"

/** Asked when PROBE_RBL_ZONES names none: lists that receivers use most, and that anybody may ask from a resolver of his own. */
const LISTS = [
  "zen.spamhaus.org",
  "bl.spamcop.net",
  "b.barracudacentral.org",
  "psbl.surriel.com",
  "bl.mailspike.net",
] as const
/** So widely used that a listed address is of no use. */
const DECISIVE: readonly string[] = ["zen.spamhaus.org"]
const WAIT_MS = 8_000
const MAX_IPS = 32

/** Whether our addresses are on blocklists, as far as those pass the self test of RFC 5782 §5. */
export async function checkBlocklists(
  { rbl, settings, signal }: DoctorNeeds,
  own: readonly OwnAddress[],
): Promise<DoctorFinding[]> {
  const findings = new Findings("blocklists")
  const ips = own.map(({ ip }) => ip).filter((ip) => isIPv4(ip) && dialPort(ip, settings.policy) !== null)
  if (signal.aborted) return []
  if (ips.length === 0) return findings.add("unknown", null, "no public IPv4 address of this node to ask about").all
  const asked = ips.slice(0, MAX_IPS)
  const { zones } = await rbl.ask({ requestId: "doctor", deadlineMs: WAIT_MS, ips: asked, zones: [...LISTS] })
  const honest = zones.filter(passesSelfTest)
  for (const ip of asked) judge(findings, ip, { zones, honest })
  return findings.all
}

function judge(
  findings: Findings,
  ip: string,
  { zones, honest }: { zones: readonly RblZoneAnswer[]; honest: readonly RblZoneAnswer[] },
): void {
  const answered = honest.filter((zone) => isAnswer(recordsOf(zone, ip)))
  const names = answered.filter((zone) => recordsOf(zone, ip)?.some(isListing)).map(({ zone }) => zone)
  const silent = zones.filter((zone) => !answered.includes(zone)).map(({ zone }) => zone)
  if (names.length > 0)
    findings.add(
      names.some((name) => DECISIVE.includes(name)) ? "fail" : "warn",
      ip,
      `is on ${listed(names)}: look it up on the list's site, end the cause, ask for removal; until then use another address`,
    )
  else if (answered.length === 0)
    findings.add(
      "unknown",
      ip,
      `no blocklist gave an honest answer (${listed(silent)}): they refuse public resolvers, so run one of your own, such as unbound, and set PROBE_DNS`,
    )
  else
    findings.add(
      "ok",
      ip,
      `is on none of ${listed(
        answered.map(({ zone }) => zone),
        8,
      )}${missing(silent)}`,
    )
}

function missing(silent: readonly string[]): string {
  return silent.length === 0 ? "" : `; no honest answer from ${listed(silent)}`
}

/** A list must have its test point and must not have the world. */
function passesSelfTest({ listedTestPoint, cleanTestPoint }: RblZoneAnswer): boolean {
  return (listedTestPoint?.some(isListing) ?? false) && cleanTestPoint?.length === 0
}

function recordsOf({ answers }: RblZoneAnswer, ip: string): readonly string[] | null {
  return answers.find((answer) => answer.ip === ip)?.records ?? null
}

function isAnswer(records: readonly string[] | null): boolean {
  return records?.every(isListing) ?? false
}

/** 127.0.0.2 and up (RFC 5782 §2.1); 127.0.0.1 and 127.255.255.x are how lists say that they do not answer us. */
function isListing(record: string): boolean {
  return Number(/^127\.0\.0\.(\d{1,3})$/.exec(record)?.[1] ?? 0) >= 2
}
