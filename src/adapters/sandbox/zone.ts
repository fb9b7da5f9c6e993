import { BULK_HOSTS, bulkHostName, MAIL_HOSTS } from "./mail-hosts.ts"

/** DNS records of the sandbox: names under .test (RFC 6761 §6.2) and the reverse names of its hosts. */
export interface Records {
  readonly A?: readonly string[]
  readonly AAAA?: readonly string[]
  readonly MX?: readonly (readonly [preference: number, host: string])[]
  readonly TXT?: readonly string[]
  readonly NS?: readonly string[]
  readonly PTR?: readonly string[]
  readonly CNAME?: readonly string[]
  /** How a resolver fails for this name and all names below it. */
  readonly fault?: "servfail" | "silent"
}

export const TTL_SECONDS = 300
export const NEGATIVE_TTL_SECONDS = 60
/** A mail host with the name of Google's, and a domain that lists can name, because its top-level domain exists. */
const BUSINESS_HOST = "mx.sandbox.googlemail.com"
const LISTED_COMPANY = "qz-company.com"
/** Zones of the sandbox. Other names go to the upstream resolver. */
export const APEXES = ["test", "42.127.in-addr.arpa", "0.0.127.in-addr.arpa", BUSINESS_HOST, LISTED_COMPANY] as const
const NUMBERED_DOMAINS = 2_000

const SPF = "v=spf1 mx -all"
/** Web servers of companies, friendly and hostile. */
const COMPANY_WEB_HOST = "127.43.0.2"
const PROBE_HOST = "probe.mailverdict.test"
/** More probe nodes, for a local fleet. */
const FLEET_HOST = "fleet.mailverdict.test"
const FLEET_ADDRESSES = [3, 4, 5, 6].map((n) => `127.0.0.${n}`)
/** Web servers of the sandbox, for a stack with WEB_SANDBOX. */
const WEB_HOST = "127.43.0.1"
/** Blocklists that a sandbox node queries. */
export const RBL_ZONES = ["rbl.test", "dead-rbl.test", "refusing-rbl.test"] as const
const mx = (...hosts: string[]): Records => ({ MX: hosts.map((host, index) => [10 * (index + 1), host]) })
/** A domain with every kind of record. Its web server is in a separate network. */
const completeDomain = (domain: string): Record<string, Records> => ({
  [domain]: { ...mx(`mx.${domain}`), TXT: [SPF], A: [WEB_HOST], NS: ["ns.sandbox.test"] },
  [`_dmarc.${domain}`]: { TXT: ["v=DMARC1; p=quarantine; sp=reject; rua=mailto:dmarc@inbox.test"] },
  [`sub.${domain}`]: mx(`mx.${domain}`),
  [`default._domainkey.${domain}`]: { TXT: ["v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="] },
  [`_mta-sts.${domain}`]: { TXT: ["v=STSv1; id=20261121"] },
  [`mta-sts.${domain}`]: { A: [WEB_HOST] },
  [`default._bimi.${domain}`]: { TXT: [`v=BIMI1; l=https://${domain}/logo.svg; a=`] },
})

/** Domains with mx.<domain> as their only mail host. */
const PLAIN_DOMAINS = `catch-all catch-all-unclear greylist client-refused not-authorized relay-denied banner-refusal
  ehlo-refusal sender-refusal one-ip tarpit hang hang-at-rcpt garbage refused drop reset starttls starttls-only tls-broken
  utf8 no-utf8 slow-greeting no-pipelining helo-only tempfail dual-stack inbox listed
  namesakes one-alice`
  .split(/\s+/)
  .map((label) => `${label}.test`)

const SPECIAL_DOMAINS: Readonly<Record<string, Records>> = {
  test: { NS: ["ns.sandbox.test"] },
  "ns.sandbox.test": { A: ["127.0.0.1"] },
  "mailbox.test": { ...mx("mx.mailbox.test"), TXT: [SPF, "sandbox-site-verification=42"] },
  "_dmarc.mailbox.test": { TXT: ["v=DMARC1; p=reject; rua=mailto:dmarc@inbox.test"] },
  // Makes _domainkey.mailbox.test an empty non-terminal: NOERROR instead of NXDOMAIN (RFC 8020).
  "s1._domainkey.mailbox.test": { TXT: ["v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="] },
  "revoked-dkim.test": mx("mx.mailbox.test"),
  "s1._domainkey.revoked-dkim.test": { TXT: ["v=DKIM1; k=ed25519; p="] },
  "unusual-dkim.test": mx("mx.mailbox.test"),
  "x7._domainkey.unusual-dkim.test": { TXT: ["v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="] },
  "alias.test": { CNAME: ["mailbox.test"] },
  "xn--bcher-kva.test": { ...mx("mx.mailbox.test"), TXT: ["v=spf1 include:mailbox.test ~all"] },
  "two-spf.test": { ...mx("mx.mailbox.test"), TXT: [SPF, "v=spf1 a ~all"] },
  "backup.test": mx("mx1.backup.test", "mx2.backup.test"),
  "busy.test": mx("mx1.busy.test", "mx2.busy.test"),
  "many-mx.test": mx(...Array.from({ length: 25 }, (_, n) => `mail-exchanger-${n + 1}.many-mx.test`)),
  ...Object.fromEntries(
    Array.from({ length: 25 }, (_, n) => [
      `mail-exchanger-${n + 1}.many-mx.test`,
      { A: [addressOf("mx.mailbox.test")] },
    ]),
  ),
  [LISTED_COMPANY]: { ...mx(BUSINESS_HOST), TXT: [SPF] },
  [BUSINESS_HOST]: { A: [addressOf("mx.mailbox.test")] },
  "mx.dual-stack.test": { AAAA: ["2001:db8::25"] },
  "mx-unresolvable.test": mx("no-such-host.sandbox.test"),
  "mx-private.test": mx("internal.mx-private.test"),
  "internal.mx-private.test": { A: ["10.1.2.3"] },
  // Mail hosts that can never take mail: special names, IP addresses, loopback and unspecified addresses.
  "mx-localhost.test": mx("localhost"),
  "mx-zero.test": mx("0.0.0.0"),
  "mx-ip.test": mx("192.0.2.25"),
  "mx-msv1.test": mx("ms12345678.msv1.invalid"),
  "mx-loopback.test": mx("self.mx-loopback.test", "self6.mx-loopback.test"),
  "self.mx-loopback.test": { A: ["127.0.0.1"] },
  "self6.mx-loopback.test": { AAAA: ["::1"] },
  "mx-half-loopback.test": mx("self.mx-loopback.test", "mx.mailbox.test"),
  "a-is-loopback6.test": { AAAA: ["::1"] },
  "a-is-loopback.test": { A: ["127.0.0.1"] },
  // RFC 7208 §5.1: terms after `all` are ignored.
  "spf-after-all.test": { TXT: ["v=spf1 ip4:192.0.2.10 -all include:gone.spf-after-all.test"] },
  "spf-void-after-all.test": { TXT: ["v=spf1 ip4:192.0.2.10 -all a:v1.test a:v2.test a:v3.test"] },
  "spf-loop-after-all.test": { TXT: ["v=spf1 ip4:192.0.2.10 -all include:spf-loop-after-all.test"] },
  "spf-outer.test": { TXT: ["v=spf1 include:spf-inner.test -all"] },
  "spf-inner.test": { TXT: ["v=spf1 ip4:192.0.2.10 ?all include:gone.spf-inner.test"] },
  "null-mx.test": { MX: [[0, "."]] },
  "no-mail-host.test": { TXT: ["v=spf1 -all"] },
  "dangling.test": { CNAME: ["nothing-here.sandbox.test"] },
  "servfail.test": { fault: "servfail" },
  "dns-timeout.test": { fault: "silent" },
  "cname-loop.test": { CNAME: ["detour.cname-loop.test"] },
  "detour.cname-loop.test": { CNAME: ["cname-loop.test"] },
  ...completeDomain("facts.test"),
  // For tests that count the queries of a domain: no other test uses it.
  ...completeDomain("counted.test"),
  "web-facts.test": { ...mx("mx.facts.test"), A: [WEB_HOST] },
  "slow-facts.test": mx("mx.facts.test"),
  "slower-facts.test": mx("mx.facts.test"),
  "parked.test": { ...mx("mx.mailbox.test"), A: [WEB_HOST], NS: ["ns1.sedoparking.com"] },
  "mx-alias.test": mx("alias-mx.mx-alias.test"),
  "alias-mx.mx-alias.test": { CNAME: ["mx.mailbox.test"] },
  "company.test": { ...mx("mx.company.test"), A: [COMPANY_WEB_HOST], TXT: [SPF] },
  "www.company.test": { A: [COMPANY_WEB_HOST] },
  ...Object.fromEntries(
    ["redirect", "large", "links", "drip", "foreign", "closed"].map((kind) => [
      `${kind}-site.test`,
      { ...mx("mx.mailbox.test"), A: [COMPANY_WEB_HOST] },
    ]),
  ),
  "private-site.test": { ...mx("mx.mailbox.test"), A: ["10.1.2.3"] },
  // Blocklists (RFC 5782): a working one, a dead one that lists every address, one that refuses public resolvers.
  "2.0.0.127.rbl.test": { A: ["127.0.0.2"] },
  [`${addressOf("mx.listed.test").split(".").reverse().join(".")}.rbl.test`]: { A: ["127.0.0.2"] },
  "*.dead-rbl.test": { A: ["127.0.0.2"] },
  "*.refusing-rbl.test": { A: ["127.255.255.254"] },
  // The probe node of a local stack: name, reverse name and SPF match, as its doctor requires.
  "mailverdict.test": { ...mx("mx.inbox.test"), TXT: [`v=spf1 a:${PROBE_HOST} a:${FLEET_HOST} -all`] },
  "_dmarc.mailverdict.test": { TXT: ["v=DMARC1; p=reject"] },
  [PROBE_HOST]: { A: ["127.0.0.1", "127.0.0.2"], TXT: ["v=spf1 a -all"] },
  [FLEET_HOST]: { A: FLEET_ADDRESSES, TXT: ["v=spf1 a -all"] },
  ...Object.fromEntries(
    FLEET_ADDRESSES.map((address) => [
      `${address.split(".").toReversed().join(".")}.in-addr.arpa`,
      { PTR: [FLEET_HOST] },
    ]),
  ),
  "1.0.0.127.in-addr.arpa": { PTR: [PROBE_HOST] },
  "2.0.0.127.in-addr.arpa": { PTR: [PROBE_HOST] },
}

/** All names and their records, in lower case, without a final dot. "*." is a wildcard (RFC 4592). */
export const ZONE: ReadonlyMap<string, Records> = collect([
  ...Object.entries(SPECIAL_DOMAINS),
  ...PLAIN_DOMAINS.map((domain) => [domain, { ...mx(`mx.${domain}`), TXT: [SPF] }] as const),
  ...MAIL_HOSTS.flatMap(({ name, address }) => [
    [name, { A: [address] }] as const,
    [`${address.split(".").reverse().join(".")}.in-addr.arpa`, { PTR: [name] }] as const,
  ]),
  ...Array.from({ length: NUMBERED_DOMAINS }, (_, n) => {
    const backup = bulkHostName((n % BULK_HOSTS) + 1)
    return [`d${String(n).padStart(4, "0")}.test`, { ...mx(bulkHostName(n), backup), TXT: [SPF] }] as const
  }),
])

/** The domains whose mail each host accepts, by MX or by A record. */
export const DOMAINS_BY_HOST: ReadonlyMap<string, ReadonlySet<string>> = domainsByHost()

function collect(entries: readonly (readonly [string, Records])[]): Map<string, Records> {
  const names = new Map<string, Records>()
  for (const [name, records] of entries) names.set(name, { ...names.get(name), ...records })
  return names
}

function domainsByHost(): Map<string, Set<string>> {
  const byName = new Map(MAIL_HOSTS.map(({ name }) => [name, new Set<string>()]))
  const nameAt = new Map(MAIL_HOSTS.map(({ name, address }) => [address, name]))
  for (const [domain, own] of ZONE) {
    const records = ZONE.get(own.CNAME?.[0] ?? domain)
    const exchangers = records?.MX?.map(([, host]) => host) ?? [domain]
    for (const host of exchangers)
      for (const address of ZONE.get(host)?.A ?? []) byName.get(nameAt.get(address) ?? "")?.add(domain)
  }
  return byName
}

function addressOf(host: string): string {
  return MAIL_HOSTS.find(({ name }) => name === host)!.address
}
