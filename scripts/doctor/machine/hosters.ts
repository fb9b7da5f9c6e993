/** What a hosting provider does with outgoing port 25. */
type Port25 = "open" | "by request" | "by setting" | "closed"

export interface Hoster {
  readonly name: string
  /** Numbers of its autonomous systems. */
  readonly asns: readonly number[]
  /** The end of its reverse names, for resolvers that do not reach the origin zone. */
  readonly names: RegExp
  readonly port25: Port25
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

export interface TicketFacts {
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
