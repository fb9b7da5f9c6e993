import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { DoctorReport, PORT_25_CLOSED } from "../../../schema/wire/health.ts"
import { type Finding, fail } from "../finding.ts"

type Settings = Readonly<Record<string, string | undefined>>

/** The node checks DNS, blocklists and mail hosts within 25 s. */
const WITHIN_MS = 60_000
const NODE = fileURLToPath(new URL("../../../probe-node/main.ts", import.meta.url))
/** Passed on beside the node's own settings: how processes are found, and how they reach the network. */
const INHERITED = /^(PATH|HOME|NODE_EXTRA_CA_CERTS|(HTTPS?|NO)_PROXY|(https?|no)_proxy)$/

/**
 * Runs the doctor of this machine's node as a process: resolver, clock, port 25, HELO, PTR, sender, SPF and blocklists.
 * @returns its report, or the reason why the node's settings are refused
 */
export async function nodeReport(settings: Settings): Promise<DoctorReport | string> {
  const names = Object.keys(settings).filter((name) => name.startsWith("PROBE_") || INHERITED.test(name))
  const env = Object.fromEntries(names.flatMap((name) => (settings[name] ? [[name, settings[name]]] : [])))
  const args = [NODE, "doctor", "--json", "--settings", "/dev/null"]
  const { stdout, stderr } = await run(args, { ...env, PATH: process.env.PATH })
  try {
    return DoctorReport.parse(JSON.parse(stdout))
  } catch {
    return stderr.trim() || "the node's doctor did not end within a minute"
  }
}

function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env, timeout: WITHIN_MS }, (_, stdout, stderr) => resolve({ stdout, stderr }))
  })
}

/** The node's findings in the form of this doctor. A check without a result is a warning here. */
export function findingsOf(report: DoctorReport | string): Finding[] {
  if (typeof report === "string") return report.split("\n").flatMap(refusedSetting)
  return report.findings.map(({ check, subject, result, detail }) => ({
    about: subject === null ? check : `${check} ${subject}`,
    result: result === "unknown" ? "warn" : result,
    detail,
  }))
}

/** A line such as "PROBE_HELO is missing: set it to …". */
function refusedSetting(line: string): Finding[] {
  const [, name, detail] = /\b(PROBE_[A-Z0-9_]+):? (.+)$/.exec(line) ?? []
  if (name && detail) return [fail(name, detail)]
  return line.trim() === "" ? [] : [fail("probe node", line.trim())]
}

/** The addresses at which mail servers see this machine: those whose reverse names the node has checked. */
export function addressesIn(report: DoctorReport | string): string[] {
  if (typeof report === "string") return []
  return report.findings.flatMap(({ check, subject }) => (check === "ptr" && subject !== null ? [subject] : []))
}

/** Whether no mail host answered on port 25 from any address. */
export function isPort25Closed(report: DoctorReport | string): boolean {
  if (typeof report === "string") return false
  const egress = report.findings.filter(({ check }) => check === "egress")
  return egress.length > 0 && egress.every(({ detail }) => detail.startsWith(PORT_25_CLOSED))
}

export interface Hoster {
  readonly name: string
  /** Numbers of its autonomous systems. */
  readonly asns: readonly number[]
  /** The end of its reverse names, for resolvers that do not reach the origin zone. */
  readonly names: RegExp
  /** What it does with outgoing port 25. */
  readonly port25: "open" | "by request" | "by setting" | "closed"
  /** What the provider's documentation says, and where to ask. As of November 2026. */
  readonly rule: string
}

/**
 * Large providers and their rule for outgoing port 25. A provider changes its rule at any time: the connection test
 * decides, and this table says only what to do next.
 */
export const HOSTERS: readonly Hoster[] = [
  {
    name: "Amazon AWS",
    asns: [16509, 14618],
    names: /\.amazonaws\.com$/,
    port25: "by request",
    rule: 'closed until you send the form "Request to remove email sending limitations", signed in as the root user. It asks for the use case and sets the PTR record, too',
  },
  {
    name: "Microsoft Azure",
    asns: [8075],
    names: /\.(cloudapp\.azure\.com|azure\.com)$/,
    port25: "closed",
    rule: "closed for most subscriptions, without an exception on request. Only enterprise agreements (EA, MCA-E) may use it",
  },
  {
    name: "Google Cloud",
    asns: [396982, 15169],
    names: /\.googleusercontent\.com$/,
    port25: "closed",
    rule: "closed for good, for every project",
  },
  {
    name: "DigitalOcean",
    asns: [14061],
    names: /\.digitalocean\.com$/,
    port25: "closed",
    rule: "closed on droplets. Support rarely opens it, for old accounts only",
  },
  {
    name: "Hetzner",
    asns: [24940, 213230, 212317, 215859],
    names: /\.(your-server\.de|your-cloud\.host)$/,
    port25: "by request",
    rule: 'cloud servers: closed until the first invoice is paid and the account is a month old, then a request at "Limits" in the console. Dedicated servers: open',
  },
  {
    name: "OVHcloud",
    asns: [16276],
    names: /\.(ovh\.(net|ca|us)|vps\.ovh\.\w+)$/,
    port25: "open",
    rule: "open. An abuse report closes it: the control panel shows that at the address",
  },
  {
    name: "Vultr",
    asns: [20473],
    names: /\.(vultrusercontent\.com|vultr\.com|choopa\.net)$/,
    port25: "by request",
    rule: "closed until you open a ticket. Vultr refuses some accounts",
  },
  {
    name: "Linode (Akamai)",
    asns: [63949],
    names: /\.(linodeusercontent\.com|linode\.com)$/,
    port25: "by request",
    rule: "closed for new accounts until you open a ticket. Set the A and PTR records first",
  },
  {
    name: "Oracle Cloud",
    asns: [31898],
    names: /\.(oraclecloud\.com|oraclevcn\.com)$/,
    port25: "by request",
    rule: "closed until you ask for an exemption by a service request. Free accounts get none",
  },
  {
    name: "Scaleway",
    asns: [12876],
    names: /\.(scw\.cloud|poneytelecom\.eu)$/,
    port25: "by setting",
    rule: 'closed until your identity is verified. Then switch on "Enable SMTP" in the security group and restart the instance',
  },
  {
    name: "Contabo",
    asns: [51167, 40021, 141995],
    names: /\.(contaboserver\.net|contabo\.(net|host))$/,
    port25: "open",
    rule: "open, with a limit on mail a minute",
  },
  {
    name: "netcup",
    asns: [197540],
    names: /\.(netcup\.net|quicksrv\.de|yourvserver\.net|supersrv\.de)$/,
    port25: "by setting",
    rule: 'closed by a firewall rule for mail that you remove in the server control panel, at "Firewall"',
  },
  {
    name: "Alibaba Cloud",
    asns: [45102, 37963],
    names: /\.(aliyun\.com|alibabacloud\.com)$/,
    port25: "by request",
    rule: 'closed until you apply at "TCP port 25 unblocking" in the console',
  },
]

/** The provider of an address, by the number of its autonomous system or else by its reverse name. Null: not in the table. */
export function hosterOf({ asn, names }: { asn: number | null; names: readonly string[] }): Hoster | null {
  const byNumber = HOSTERS.find(({ asns }) => asn !== null && asns.includes(asn))
  return byNumber ?? HOSTERS.find((hoster) => names.some((name) => hoster.names.test(name))) ?? null
}

interface TicketFacts {
  readonly ips: readonly string[]
  readonly heloName: string
  readonly mailFrom: string
  /** The service's public address. */
  readonly baseUrl: string
}

/** The text of a request to open port 25. It says what the service does, because a support team asks for that. */
export function ticketFor({ ips, heloName, mailFrom, baseUrl }: TicketFacts): string {
  const addresses = ips.join(", ") || "(the address of the server)"
  return `Subject: Please open outgoing TCP port 25 for ${ips[0] ?? heloName}

Please open outgoing TCP port 25 for our server ${heloName} (${addresses}).

The server verifies email addresses for ${baseUrl}. It connects to the mail server of an
address, sends EHLO, MAIL FROM and RCPT TO, and ends the session before DATA. It sends no
message, so no bulk mail and no advertising. The number of sessions a second is limited for
each mail server.

Server name and HELO: ${heloName}
Addresses: ${addresses}
Reverse name (PTR): please set it to ${heloName}, if it is not
Sender (MAIL FROM): ${mailFrom}, a mailbox that we read. SPF allows the addresses.
Contact for abuse: ${mailFrom}
`
}
