import { describe, expect, test } from "vitest"
import { createDnsMemory } from "../../../src/adapters/dns/memory.ts"
import { createDns } from "../../../src/adapters/dns/resolver.ts"
import { parkingService } from "../../../src/domain/reference/classify-by-hosts.ts"
import { findOperator, operatorOf } from "../../../src/domain/smtp-reply/operators.ts"
import { OPERATORS } from "../../../src/domain/smtp-reply/operators-table.ts"
import type { MailRoute } from "../../../src/domain/verification/evidence.ts"
import { findExchangers, findMailRoute } from "../../../src/services/verification/find-facts.ts"
import { findBimi, findDmarc } from "../../../src/services/verification/find-mail-auth.ts"
import { dnsZone, type Zone } from "../../support/mail/dns-zone.ts"

const D = "example.com"
const mx = (host: string): MailRoute => ({ kind: "mx", hosts: [{ host, preference: 1 }] })

test.each<[string, string, Zone, object]>([
  [
    "its own record",
    "a.example.co.uk",
    {
      "_dmarc.a.example.co.uk": { TXT: ["v=DMARC1; p=none"] },
      "_dmarc.example.co.uk": { TXT: ["v=DMARC1; p=reject"] },
    },
    { kind: "record", foundAt: "a.example.co.uk", policy: "none" },
  ],
  [
    "the organizational domain's record",
    "a.b.example.co.uk",
    { "_dmarc.example.co.uk": { TXT: ["v=DMARC1; p=reject; sp=quarantine"] } },
    { kind: "record", foundAt: "example.co.uk", policy: "quarantine" },
  ],
  [
    "the record nearest the root, even without one at the organizational domain (RFC 9989 §4.10.2)",
    "a.b.c.example.com",
    {
      "_dmarc.b.c.example.com": { TXT: ["v=DMARC1; p=reject"] },
      "_dmarc.c.example.com": { TXT: ["v=DMARC1; p=none"] },
    },
    { kind: "record", foundAt: "c.example.com", policy: "none" },
  ],
  [
    "none above an organizational domain with psd=n",
    "a.b.example.com",
    {
      "_dmarc.b.example.com": { TXT: ["v=DMARC1; p=reject; psd=n"] },
      "_dmarc.example.com": { TXT: ["v=DMARC1; p=none"] },
    },
    { kind: "record", foundAt: "b.example.com", policy: "reject" },
  ],
  [
    "the organizational domain's record below a public suffix (psd=y)",
    "a.b.example.gov",
    {
      "_dmarc.gov": { TXT: ["v=DMARC1; p=none; sp=reject; psd=y"] },
      "_dmarc.b.example.gov": { TXT: ["v=DMARC1; p=none"] },
      "_dmarc.example.gov": { TXT: ["v=DMARC1; p=quarantine"] },
    },
    { kind: "record", foundAt: "example.gov", policy: "quarantine" },
  ],
  [
    "the public suffix's record without one at the organizational domain",
    "a.b.example.gov",
    {
      "_dmarc.gov": { TXT: ["v=DMARC1; p=none; sp=reject; psd=y"] },
      "_dmarc.b.example.gov": { TXT: ["v=DMARC1; p=none"] },
    },
    { kind: "record", foundAt: "gov", policy: "reject" },
  ],
  [
    "several records at a parent count as none",
    "a.example.com",
    { "_dmarc.example.com": { TXT: ["v=DMARC1; p=none", "v=DMARC1; p=reject"] } },
    { kind: "none" },
  ],
  ["no record", "a.example.com", { "_dmarc.com": { TXT: ["v=spf1 -all"] } }, { kind: "none" }],
])("DMARC: %s", async (_, domain, zone, expected) => {
  expect(await findDmarc(dnsZone(zone), domain)).toMatchObject(expected)
})

test("mail hosts of equal preference have a fixed order, whatever order DNS returns", async () => {
  const hosts = [
    { host: "c.test", preference: 5 },
    { host: "a.test", preference: 10 },
    { host: "b.test", preference: 10 },
  ]
  for (const MX of [hosts, hosts.toReversed()])
    expect(await findMailRoute(dnsZone({ [D]: { MX } }), D)).toEqual({ kind: "mx", hosts })
})

test("stores at most 20 mail hosts and 16 addresses of a host, and refuses a very long BIMI URL", async () => {
  const MX = Array.from({ length: 3_000 }, (_, n) => ({ host: `h${n}.${"x".repeat(60)}.test`, preference: n }))
  const route = await findMailRoute(dnsZone({ [D]: { MX: MX.toReversed() } }), D)
  expect(route).toEqual({ kind: "mx", hosts: MX.slice(0, 20) })
  const A = Array.from({ length: 2_000 }, (_, n) => `8.8.${n >> 8}.${n & 255}`)
  const [exchanger] = await findExchangers(dnsZone({ "mx.test": { A } }), mx("mx.test"))
  expect(exchanger!.addresses).toEqual(A.slice(0, 16))
  const TXT = [`v=BIMI1; l=https://a.test/${"x".repeat(60_000)}.svg`]
  expect(await findBimi(dnsZone({ [`default._bimi.${D}`]: { TXT } }), D)).toEqual({ kind: "invalid" })
})

test("after dead mail hosts the next ones are resolved, up to the fifth", async () => {
  const hosts = [..."abcdef"].map((letter, preference) => ({ host: `${letter}.test`, preference }))
  const alive = async (name: string) => {
    const found = await findExchangers(dnsZone({ [name]: { A: ["8.8.8.8"] } }), { kind: "mx", hosts })
    return found.map(({ host, addresses }) => `${host} ${addresses?.length}`).join(", ")
  }
  expect(await alive("c.test")).toBe("a.test 0, b.test 0, c.test 1")
  expect(await alive("e.test")).toBe("a.test 0, b.test 0, c.test 0, d.test 0, e.test 1")
  expect(await alive("f.test")).toBe("a.test 0, b.test 0, c.test 0, d.test 0, e.test 0")
})

test("a mail host costs two queries, and a second vote on IPv6 only without IPv4", async () => {
  const zones = [dnsZone({ "alive.test": { A: ["192.0.2.1"] } }), dnsZone({ "alive.test": { A: ["192.0.2.1"] } })]
  const urls = ["https://first.test/", "https://second.test/"]
  const fetch = (url: string, init?: RequestInit) => zones[urls.indexOf(url)]!.fetch(url, init)
  const dns = createDns({ urls, fetch, now: () => 0, memory: createDnsMemory() })
  await findExchangers(dns, mx("alive.test"))
  expect(zones.map(({ calls }) => calls.splice(0))).toEqual([["A alive.test", "AAAA alive.test"], []])
  expect(await findExchangers(dns, mx("dead.test"))).toEqual([{ host: "dead.test", addresses: [], isAlias: false }])
  expect(zones[1]!.calls).toEqual(["A dead.test", "AAAA dead.test"])
})

test("mail hosts: alive, dead, alias, unknown", async () => {
  const zone: Zone = {
    "alive.test": { A: ["192.0.2.1"] },
    "alias.test": { CNAME: ["alive.test"] },
    "unclear.test": "servfail",
  }
  const hosts = ["alive.test", "alias.test", "dead.test"].map((host, preference) => ({ host, preference }))
  expect(await findExchangers(dnsZone(zone), { kind: "mx", hosts })).toEqual([
    { host: "alive.test", addresses: ["192.0.2.1"], isAlias: false },
    { host: "alias.test", addresses: ["192.0.2.1"], isAlias: true },
    { host: "dead.test", addresses: [], isAlias: false },
  ])
  expect(await findExchangers(dnsZone(zone), mx("unclear.test"))).toEqual([
    { host: "unclear.test", addresses: null, isAlias: null },
  ])
  expect(await findExchangers(dnsZone(zone), { kind: "null_mx" })).toEqual([])
})

describe("parking", () => {
  const none = { nameServers: [], mailHosts: [], addresses: [], siteHost: null }
  test.each<[string, object, string | null]>([
    ["a name server", { nameServers: ["ns1.sedoparking.com"] }, "sedo"],
    ["a mail host", { mailHosts: ["mail.h-email.net"] }, "h-email"],
    ["an address", { addresses: ["199.59.243.228"] }, "bodis"],
    ["a redirect", { siteHost: "www.hugedomains.com" }, "hugedomains"],
    [
      "a registrar's ordinary name servers",
      { nameServers: ["ns01.domaincontrol.com", "dns1.registrar-servers.com"] },
      null,
    ],
    ["a name with a similar end", { nameServers: ["ns1.notsedoparking.com"] }, null],
    ["nothing", {}, null],
  ])("%s", (_, hints, expected) => {
    expect(parkingService({ ...none, ...hints })).toBe(expected)
  })
})

describe("operators", () => {
  test.each<[string | undefined, string]>([
    ["aspmx.l.google.com", "google"],
    ["gmail-smtp-in.l.google.com", "google"],
    ["example-com.mail.protection.outlook.com", "microsoft365"],
    ["outlook-com.olc.protection.outlook.com", "outlook"],
    ["example-com.k-v1.mx.microsoft", "microsoft365"],
    ["mta5.am0.yahoodns.net", "yahoo"],
    ["mx0a-00000000.pphosted.com", "proofpoint"],
    ["eu-smtp-inbound-1.mimecast.com", "mimecast"],
    ["route1.mx.cloudflare.net", "cloudflare"],
    ["in1-smtp.messagingengine.com", "fastmail"],
    ["mx.notgoogle.com", "other"],
    ["com", "other"],
    [undefined, "none"],
  ])("%s: %s", (host, name) => {
    expect(operatorOf(host)).toBe(name)
  })

  test("the longest matching suffix decides", () => {
    expect(findOperator("amir.mx.cloudflare.net")?.kind).toBe("forwarding")
    expect(findOperator("mxa.global.inbound.cf-emailsecurity.cloudflare.net")?.kind).toBe("gateway")
  })

  test("there are at least a hundred, each suffix once, in lower case", () => {
    const suffixes = OPERATORS.map(([suffix]) => suffix)
    expect(new Set(OPERATORS.map(([, name]) => name)).size).toBeGreaterThanOrEqual(100)
    expect(new Set(suffixes).size).toBe(suffixes.length)
    for (const suffix of suffixes) expect(suffix).toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/)
  })
})
