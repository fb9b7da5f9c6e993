import { isIPv4 } from "node:net"
import type { DoctorFinding } from "../../schema/wire/health.ts"
import type { RblZoneAnswer } from "../../schema/wire/rbl.ts"
import { dialPort } from "../addresses.ts"
import type { OwnAddress } from "./egress.ts"
import { type DoctorDeps, Findings, listed } from "./findings.ts"

/** Default lists without PROBE_RBL_ZONES: the most used ones that any private resolver may query. */
const LISTS = [
  "zen.spamhaus.org",
  "bl.spamcop.net",
  "b.barracudacentral.org",
  "psbl.surriel.com",
  "bl.mailspike.net",
] as const
/** Lists so widely used that a listed address cannot be used. */
const DECISIVE: readonly string[] = ["zen.spamhaus.org"]
const WAIT_MS = 8_000
const MAX_IPS = 32

/** Checks whether the node's addresses are on blocklists. It ignores lists that fail the self test of RFC 5782 §5. */
export async function checkBlocklists(
  { rbl, settings, signal }: DoctorDeps,
  own: readonly OwnAddress[],
): Promise<DoctorFinding[]> {
  const findings = new Findings("blocklists")
  const ips = own.map(({ ip }) => ip).filter((ip) => isIPv4(ip) && dialPort(ip, settings.policy) !== null)
  if (signal.aborted) return []
  if (ips.length === 0)
    return findings.add("unknown", null, "no public IPv4 address of this node is known: set PROBE_SOURCE_IPS").all
  const checked = ips.slice(0, MAX_IPS)
  const { zones } = await rbl.lookUpAll({ requestId: "doctor", deadlineMs: WAIT_MS, ips: checked, zones: [...LISTS] })
  const working = zones.filter(passesSelfTest)
  for (const ip of checked) assess(findings, ip, { zones, working })
  return findings.all
}

function assess(
  findings: Findings,
  ip: string,
  { zones, working }: { zones: readonly RblZoneAnswer[]; working: readonly RblZoneAnswer[] },
): void {
  const answered = working.filter((zone) => recordsOf(zone, ip)?.every(isListing))
  const names = answered.filter((zone) => recordsOf(zone, ip)?.some(isListing)).map(({ zone }) => zone)
  const clean = answered.map(({ zone }) => zone)
  const silent = zones.filter((zone) => !answered.includes(zone)).map(({ zone }) => zone)
  const missing = silent.length === 0 ? "" : `; no usable answer from ${listed(silent)}`
  if (names.length > 0)
    findings.add(
      names.some((name) => DECISIVE.includes(name)) ? "fail" : "warn",
      ip,
      `is on ${listed(names)}: read the reason on the list's site, fix the cause and request removal; until then use another address`,
    )
  else if (answered.length === 0)
    findings.add(
      "unknown",
      ip,
      `no blocklist gave a usable answer (${listed(silent)}): they refuse public resolvers, so run your own, such as unbound, and set PROBE_DNS`,
    )
  else findings.add("ok", ip, `is on none of ${listed(clean, 8)}${missing}`)
}

/** A working list contains its listed test point and not the clean one. */
function passesSelfTest({ listedTestPoint, cleanTestPoint }: RblZoneAnswer): boolean {
  return (listedTestPoint?.some(isListing) ?? false) && cleanTestPoint?.length === 0
}

function recordsOf({ answers }: RblZoneAnswer, ip: string): readonly string[] | null {
  return answers.find((answer) => answer.ip === ip)?.records ?? null
}

/** 127.0.0.2 and above means listed (RFC 5782 §2.1). 127.0.0.1 and 127.255.255.x mean that the list refuses us. */
function isListing(record: string): boolean {
  return Number(/^127\.0\.0\.(\d{1,3})$/.exec(record)?.[1] ?? 0) >= 2
}
