import { expect, test } from "vitest"
import { registerSenderDomain } from "../../../src/services/fleet/sender-domains.ts"
import { testContext } from "../../support/deps/context.ts"
import { dnsZone, type ZoneEntry } from "../../support/mail/dns-zone.ts"

const IP = "192.0.2.7"
const IP6 = "2001:db8::7"
const REVERSE6 = "7.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"

async function findingsOf(txt: string, broken: { readonly [name: string]: ZoneEntry } = {}) {
  const dns = dnsZone({
    "a.test": { MX: [{ host: "mx.a.test", preference: 10 }], TXT: [txt] },
    "mx.a.test": { A: [IP], AAAA: [IP6] },
    "7.2.0.192.postmaster.list.test": { A: ["127.0.0.2"] },
    "7.2.0.192.in-addr.arpa": { PTR: ["mx.a.test"] },
    [REVERSE6]: { PTR: ["mx.a.test"] },
    ...broken,
  })
  const nodes = [{ accountId: null, sourceIps: [IP, IP6, "system"] }]
  const ctx = testContext({
    clock: { now: () => 0 },
    dns,
    fleet: { all: async () => nodes },
    store: { fleetRecords: { saveSenderDomain: async (saved: unknown) => saved } },
  })
  const { findings } = await registerSenderDomain(ctx, "a.test")
  return (check: string) =>
    findings.filter((found) => found.check === check).map(({ result, subject }) => [subject, result])
}

/** Each shared source IP, with the same rules as the doctor of a node. */
test.each<[record: string, ipv4: string, ipv6: string]>([
  ["v=spf1 mx -all", "ok", "ok"],
  [`v=spf1 ip4:${IP} ~all`, "ok", "fail"],
  [`v=spf1 ip6:${IP6} ?all`, "warn", "ok"],
  ["hello", "fail", "fail"],
  ["v=spf1 oops -all", "fail", "fail"],
  ["v=spf1 include:down.test -all", "unknown", "unknown"],
  ["v=spf1 exists:%{ir}.%{l}.list.test -all", "ok", "fail"],
  ["v=spf1 ptr -all", "ok", "ok"],
  ["v=spf1 a:v1.test a:v2.test a:v3.test ?all", "fail", "fail"], // more than two void lookups
])("a sender domain with %s", async (record, ipv4, ipv6) => {
  const found = await findingsOf(record, { "down.test": "servfail" })
  expect(found("spf")).toEqual([
    [IP, ipv4],
    [IP6, ipv6],
  ])
  expect(found("ptr")).toEqual([
    [IP, "ok"],
    [IP6, "ok"],
  ])
})
