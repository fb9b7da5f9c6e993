import { type DoctorFinding, PORT_25_CLOSED } from "../../schema/wire/health.ts"
import type { NodeSettings } from "../config.ts"
import { type ConnectionTest, testConnection } from "./connection-test.ts"
import type { DoctorDeps } from "./deps.ts"
import { addressesOf, type DnsAnswer } from "./dns.ts"
import { Findings, listed } from "./finding.ts"

/** Result of a connection test to one host from one source. */
export interface SourceConnection {
  /** A source IP, or its placeholder. */
  readonly source: string
  readonly host: string
  /** Null when the host has no usable address. `detail` has the reason. */
  readonly connection: ConnectionTest | null
  readonly detail: string
}

/** Tests the connection to every configured host from every source IP. */
export async function testAllSources(deps: DoctorDeps): Promise<SourceConnection[]> {
  const { settings, engine } = deps
  const connections = settings.doctor.hosts.map(async (host) => {
    const mxHost = await mailHostOf(deps, host)
    return Promise.all(engine.sources.all.map((source) => testSource(deps, { source, host, mxHost })))
  })
  return (await Promise.all(connections)).flat()
}

/** The preferred mail host of a domain, or the name itself without an MX record (RFC 5321 §5.1). */
async function mailHostOf({ dns }: DoctorDeps, domain: string): Promise<string> {
  const answer = await dns.mx(domain)
  const hosts = answer.kind === "records" ? answer.records.toSorted((one, other) => one.priority - other.priority) : []
  return hosts[0]?.exchange || domain
}

async function testSource(
  { settings, engine, dns, signal }: DoctorDeps,
  { source, host, mxHost }: { source: string; host: string; mxHost: string },
): Promise<SourceConnection> {
  const found = await addressesOf(dns, mxHost)
  if (found.kind !== "records")
    return { source, host, connection: null, detail: `${mxHost} has no address${why(found)}` }
  const [sourceIp = null] = engine.sources.dialFrom(source, [source])
  const endpoint = found.records
    .filter((address) => sourceIp === null || address.includes(":") === sourceIp.includes(":"))
    .map((address) => ({ mxHost, address, port: engine.dialPort(address), sourceIp }))
    .find(({ port }) => port !== null)
  if (!endpoint || endpoint.port === null)
    return { source, host, connection: null, detail: `${mxHost} has no usable address` }
  if (signal.aborted) return { source, host, connection: null, detail: "the node is stopping" }
  const { heloName, envelopeSender, proxy } = settings
  const tested = await testConnection({ heloName, envelopeSender, proxy, signal }, { ...endpoint, port: endpoint.port })
  return { source, host, connection: tested, detail: `${mxHost} ${tested.detail}` }
}

function why(answer: DnsAnswer): string {
  return answer.kind === "failure" ? ` (${answer.code})` : ""
}

/** Checks whether outgoing port 25 is open, and whether mail hosts accept the node. */
export function checkEgress({ proxy }: NodeSettings, connections: readonly SourceConnection[]): DoctorFinding[] {
  const findings = new Findings("egress")
  const sources = [...new Set(connections.map(({ source }) => source))]
  if (sources.length === 0) findings.add("unknown", null, "no host to try: list mail domains in PROBE_DOCTOR_HOSTS")
  for (const source of sources)
    assess(
      findings,
      source,
      connections.filter((one) => one.source === source),
    )
  if (!proxy || connections.length === 0) return findings.all
  return [...checkProxy(connections), ...findings.all]
}

function assess(findings: Findings, source: string, connections: readonly SourceConnection[]): void {
  const closed = connections.filter((one) => one.connection === null || one.connection.outcome === "closed")
  const refused = connections.filter(({ connection }) => connection?.outcome === "refused")
  const details = (some: readonly SourceConnection[]) => some.map(({ detail }) => detail).join("; ")
  if (connections.every(({ connection }) => connection === null))
    findings.add("unknown", source, `no mail host to try: list others in PROBE_DOCTOR_HOSTS (${details(connections)})`)
  else if (connections.every(({ connection }) => connection?.detail.includes("EADDRNOTAVAIL")))
    findings.add("fail", source, "is not an address of this machine: correct PROBE_SOURCE_IPS")
  else if (closed.length === connections.length)
    findings.add(
      "fail",
      source,
      `${PORT_25_CLOSED}: ask the hosting provider to open outgoing port 25, use PROBE_SOCKS5, or list mail hosts that this network reaches in PROBE_DOCTOR_HOSTS (${details(closed)})`,
    )
  else if (refused.length > 1 && refused.length + closed.length === connections.length)
    findings.add(
      "fail",
      source,
      `every host refuses it: use another address until it is delisted; PROBE_DOCTOR_HOSTS lists the hosts (${details(refused)})`,
    )
  else if (refused.length > 0)
    findings.add("warn", source, `some hosts refuse it: read the reason and request delisting (${details(refused)})`)
  else if (closed.length > 0)
    findings.add("warn", source, `some hosts do not answer: check the firewall and try again (${details(closed)})`)
  else findings.add("ok", source, `port 25 is open: ${listed(connections.map(({ host }) => host))} answered`)
}

function checkProxy(connections: readonly SourceConnection[]): DoctorFinding[] {
  const findings = new Findings("proxy")
  const tried = connections.filter(({ connection }) => connection !== null)
  const problems = tried.filter(({ connection }) => connection?.isProxyProblem)
  const problem = problems[0]
  if (tried.length === 0) findings.add("unknown", null, "not tried: no mail host was found")
  else if (!problem) findings.add("ok", null, "the SOCKS5 proxy opens connections to mail hosts")
  else
    findings.add(
      problems.length === tried.length ? "fail" : "warn",
      null,
      `the SOCKS5 proxy does not open connections: check host, port and password in PROBE_SOCKS5, and whether the proxy allows port 25 (${problem.connection?.detail})`,
    )
  return findings.all
}
