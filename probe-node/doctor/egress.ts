import ipaddr from "ipaddr.js"
import { type DoctorFinding, PORT_25_CLOSED } from "../../schema/wire/health.ts"
import { dialPort } from "../addresses.ts"
import type { NodeSettings } from "../config.ts"
import { REPLY_TIMEOUT_MS, type SessionResult, SmtpSession } from "../smtp/connection.ts"
import type { Endpoint } from "../smtp/route.ts"
import { addressesOf, type DnsAnswer } from "./dns.ts"
import { type DoctorDeps, Findings, listed } from "./findings.ts"

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
  deps: DoctorDeps,
  { source, host, mxHost }: { source: string; host: string; mxHost: string },
): Promise<SourceConnection> {
  const { engine, dns, signal } = deps
  const untested = (detail: string) => ({ source, host, connection: null, detail })
  const found = await addressesOf(dns, mxHost)
  if (found.kind !== "records")
    return untested(`${mxHost} has no address${found.kind === "failure" ? ` (${found.code})` : ""}`)
  const [sourceIp = null] = engine.sources.dialFrom(source, [source])
  const [endpoint] = found.records
    .filter((address) => sourceIp === null || address.includes(":") === sourceIp.includes(":"))
    .flatMap((address) => {
      const port = engine.dialPort(address)
      return port === null ? [] : [{ mxHost, address, port, sourceIp }]
    })
  if (!endpoint) return untested(`${mxHost} has no usable address`)
  if (signal.aborted) return untested("the node is stopping")
  const tested = await testConnection(deps, endpoint)
  return { source, host, connection: tested, detail: `${mxHost} ${tested.detail}` }
}

/** Checks whether outgoing port 25 is open, and whether mail hosts accept the node. */
export function checkEgress({ proxy }: NodeSettings, connections: readonly SourceConnection[]): DoctorFinding[] {
  const findings = new Findings("egress")
  const sources = Map.groupBy(connections, ({ source }) => source)
  if (sources.size === 0) findings.add("unknown", null, "no host to try: list mail domains in PROBE_DOCTOR_HOSTS")
  for (const [source, some] of sources) assess(findings, source, some)
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

/** Result of a connection test to a mail host. */
export interface ConnectionTest {
  readonly mxHost: string
  /** "welcome": it accepted EHLO. "refused": it speaks SMTP but refused us. "closed": no SMTP server was reached. */
  readonly outcome: "welcome" | "refused" | "closed"
  /** The host's reply, or the failure. */
  readonly detail: string
  /** The proxy caused the failure. */
  readonly isProxyProblem: boolean
  /** The local address of the connection. Null without a connection or behind a proxy. */
  readonly localIp: string | null
  /** Our address as the host sees it. Large providers name it in their reply to EHLO. */
  readonly seenIp: string | null
}

/** A host slower than this is of no use to a probe either. */
const TIMEOUT_MS = { ...REPLY_TIMEOUT_MS, connect: 5_000, banner: 10_000, ehlo: 5_000 }

/** Connects to a mail host and sends EHLO and QUIT. */
function testConnection({ settings, signal }: DoctorDeps, endpoint: Endpoint): Promise<ConnectionTest> {
  const { heloName, envelopeSender, proxy } = settings
  const deadlineAt = performance.now() + TIMEOUT_MS.connect + TIMEOUT_MS.banner + TIMEOUT_MS.ehlo
  const unused = { pipelining: false, starttls: false, recipientsPerTransaction: 1, slowMs: Number.POSITIVE_INFINITY }
  return new Promise((resolve) => {
    const session = new SmtpSession(
      { endpoint, proxy, replyTimeoutMs: TIMEOUT_MS, deadlineAt, tlsProblem: null },
      { heloName, envelopeSender, rcpts: [], ...unused },
      {
        answered: () => undefined,
        over: (result) => resolve(toConnectionTest(result, endpoint, proxy !== null)),
        closed: () => signal.removeEventListener("abort", stop),
      },
    )
    const stop = () => session.abort("shutdown", "the node is stopping")
    signal.addEventListener("abort", stop)
  })
}

function toConnectionTest({ end, report }: SessionResult, { mxHost }: Endpoint, proxied: boolean): ConnectionTest {
  const localIp = proxied ? null : (report?.sourceIp ?? null)
  const seenIp = seenIn(report?.ehlo?.text ?? "")
  const common = { mxHost, localIp: localIp && ipaddr.isValid(localIp) ? localIp : null, seenIp }
  if (end.kind === "refused") {
    const detail = `${end.reply.code} ${end.reply.text.replace(/\s+/g, " ")}`.slice(0, 160)
    return { ...common, outcome: "refused", detail, isProxyProblem: false }
  }
  if (end.kind === "failed") {
    const { stage, failure, detail } = end
    return { ...common, outcome: "closed", detail: `${stage}: ${detail}`, isProxyProblem: failure === "proxy" }
  }
  const detail = report?.greeting?.text.split("\n", 1)[0] ?? ""
  return { ...common, outcome: "welcome", detail, isProxyProblem: false }
}

/** "mx.google.com at your service, [203.0.113.5]" and "… Hello probe.example.com [IPv6:2001:db8::5]". */
function seenIn(ehlo: string): string | null {
  const ip = /\[(?:IPv6:)?([0-9a-f.:]+)\]/i.exec(ehlo.split("\n", 1)[0]!)?.[1]
  return ip !== undefined && ipaddr.isValid(ip) ? ip : null
}

/** An address at which mail servers see this node. */
export interface OwnAddress {
  readonly ip: string
  /** Only the HELO name points to this address. */
  readonly isAssumed: boolean
}

/**
 * The node's public addresses. For each source: the address that mail hosts report, which also works behind NAT or a
 * proxy, else the address it connects from if public. Without any: the machine's public address, else the HELO name's.
 */
export function ownAddresses(
  settings: NodeSettings,
  {
    connections,
    helo,
    machineIps,
  }: { connections: readonly SourceConnection[]; helo: DnsAnswer; machineIps: readonly string[] },
): readonly OwnAddress[] {
  const sources = new Set([...(settings.proxy ? [] : settings.sourceIps), ...connections.map(({ source }) => source)])
  const known = [...sources].flatMap((source) => {
    const results = connections.flatMap((one) => (one.source === source && one.connection ? [one.connection] : []))
    const candidates = [...results.map(({ seenIp }) => seenIp), source, ...results.map(({ localIp }) => localIp)]
    return candidates.find((ip) => ip !== null && isUsable(ip, settings)) ?? []
  })
  if (known.length === 0 && settings.sourceIps.length === 0 && !settings.proxy) known.push(...machineIps.slice(0, 1))
  if (known.length > 0) return [...new Set(known)].map((ip) => ({ ip, isAssumed: false }))
  return helo.kind === "records" ? helo.records.map((ip) => ({ ip, isAssumed: true })) : []
}

/** Whether the address is public, or this node's policy allows it. */
function isUsable(ip: string, { policy }: NodeSettings): boolean {
  const allowPrivate = policy.allowPrivate || policy.sandbox !== null
  return dialPort(ip, { ...policy, allowPrivate }) !== null
}
