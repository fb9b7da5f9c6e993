import type { DoctorFinding } from "../../schema/wire/health.ts"
import type { NodeSettings } from "../config.ts"
import { addressesOf, type DnsAnswer } from "./dns.ts"
import { Findings, listed } from "./finding.ts"
import { type Knock, knock } from "./knock.ts"
import type { DoctorNeeds } from "./needs.ts"

/** What became of knocking at one host from one of our sources. */
export interface SourceKnock {
  /** A source IP, or what stands for it. */
  readonly source: string
  readonly host: string
  /** Null when no address of the host could be found or used; `detail` says why. */
  readonly knock: Knock | null
  readonly detail: string
}

/** Says EHLO to every configured host from every source IP. */
export async function knockEverywhere(needs: DoctorNeeds): Promise<SourceKnock[]> {
  const { settings, engine } = needs
  const knocks = settings.doctor.hosts.map(async (host) => {
    const mxHost = await mailHostOf(needs, host)
    return Promise.all(engine.sources.all.map((source) => knockFrom(needs, { source, host, mxHost })))
  })
  return (await Promise.all(knocks)).flat()
}

/** The first mail host of a domain; a name without MX stands for itself (RFC 5321 §5.1). */
async function mailHostOf({ dns }: DoctorNeeds, domain: string): Promise<string> {
  const answer = await dns.mx(domain)
  const hosts = answer.kind === "records" ? answer.records.toSorted((one, other) => one.priority - other.priority) : []
  return hosts[0]?.exchange || domain
}

async function knockFrom(
  { settings, engine, dns, signal }: DoctorNeeds,
  { source, host, mxHost }: { source: string; host: string; mxHost: string },
): Promise<SourceKnock> {
  const found = await addressesOf(dns, mxHost)
  if (found.kind !== "records") return { source, host, knock: null, detail: `${mxHost} has no address${why(found)}` }
  const [sourceIp = null] = engine.sources.dialFrom(source, [source])
  const place = found.records
    .filter((address) => sourceIp === null || address.includes(":") === sourceIp.includes(":"))
    .map((address) => ({ mxHost, address, port: engine.dialPort(address), sourceIp }))
    .find(({ port }) => port !== null)
  if (!place || place.port === null) return { source, host, knock: null, detail: `${mxHost} has no usable address` }
  if (signal.aborted) return { source, host, knock: null, detail: "the node is stopping" }
  const { heloName, envelopeSender, proxy } = settings
  const heard = await knock({ heloName, envelopeSender, proxy, signal }, { ...place, port: place.port })
  return { source, host, knock: heard, detail: `${mxHost} ${heard.detail}` }
}

function why(answer: DnsAnswer): string {
  return answer.kind === "failure" ? ` (${answer.code})` : ""
}

/** Whether port 25 is open to the world, and the world to us. */
export function checkEgress({ proxy }: NodeSettings, knocks: readonly SourceKnock[]): DoctorFinding[] {
  const findings = new Findings("egress")
  const sources = [...new Set(knocks.map(({ source }) => source))]
  if (sources.length === 0) findings.add("unknown", null, "no host to try: list mail domains in PROBE_DOCTOR_HOSTS")
  for (const source of sources)
    judge(
      findings,
      source,
      knocks.filter((one) => one.source === source),
    )
  if (!proxy || knocks.length === 0) return findings.all
  return [...checkProxy(knocks), ...findings.all]
}

function judge(findings: Findings, source: string, knocks: readonly SourceKnock[]): void {
  const closed = knocks.filter((one) => one.knock === null || one.knock.outcome === "closed")
  const refused = knocks.filter(({ knock }) => knock?.outcome === "refused")
  const says = (some: readonly SourceKnock[]) => some.map(({ detail }) => detail).join("; ")
  if (knocks.every(({ knock }) => knock === null))
    findings.add("unknown", source, `no mail host to try: ${says(knocks)}`)
  else if (knocks.every(({ knock }) => knock?.detail.includes("EADDRNOTAVAIL")))
    findings.add("fail", source, "is not an address of this machine: correct PROBE_SOURCE_IPS")
  else if (closed.length === knocks.length)
    findings.add(
      "fail",
      source,
      `no mail host answers on port 25: have the hosting provider open outgoing port 25, or go out through PROBE_SOCKS5 (${says(closed)})`,
    )
  else if (refused.length > 1 && refused.length + closed.length === knocks.length)
    findings.add(
      "fail",
      source,
      `every host turns it away: use another address until it is delisted (${says(refused)})`,
    )
  else if (refused.length > 0)
    findings.add("warn", source, `turned away: read the reason and ask for delisting (${says(refused)})`)
  else if (closed.length > 0)
    findings.add("warn", source, `not every host answers: look at the firewall and try again (${says(closed)})`)
  else findings.add("ok", source, `port 25 is open: ${listed(knocks.map(({ host }) => host))} answered`)
}

function checkProxy(knocks: readonly SourceKnock[]): DoctorFinding[] {
  const findings = new Findings("proxy")
  const tried = knocks.filter(({ knock }) => knock !== null)
  const problems = tried.filter(({ knock }) => knock?.isProxyProblem)
  const problem = problems[0]
  if (tried.length === 0) findings.add("unknown", null, "not tried: no mail host was found")
  else if (!problem) findings.add("ok", null, "the SOCKS5 proxy lets us through to mail hosts")
  else
    findings.add(
      problems.length === tried.length ? "fail" : "warn",
      null,
      `the SOCKS5 proxy does not open connections: check host, port and password in PROBE_SOCKS5, and that it allows port 25 (${problem.knock?.detail})`,
    )
  return findings.all
}
