import { expect, test } from "vitest"
import { evaluateSpf } from "../../../src/domain/routing/sender-spf.ts"
import { dnsZone } from "../../support/mail/dns-zone.ts"

const dns = dnsZone({
  "ip4.test": { TXT: ["v=spf1 ip4:192.0.2.0/24 -all"] },
  "ip6.test": { TXT: ["v=spf1 ip6:2001:db8::/32 ~all"] },
  "a.test": { TXT: ["v=spf1 a -all"], A: ["192.0.2.7"] },
  "net.test": { TXT: ["v=spf1 a:a.test/24 -all"] },
  "six.test": { TXT: ["v=spf1 a/24 -all"], A: ["192.0.2.7"], AAAA: ["2001:db8::7"] },
  "both.test": { TXT: ["v=spf1 a:six.test/24//64 -all"] },
  "late.test": { TXT: ["v=spf1 ip4:192.0.2.0/24 ip4:192.0.2.0/33 -all"] },
  "mx.test": { TXT: ["v=spf1 mx -all"], MX: [{ preference: 10, host: "a.test" }] },
  "include.test": { TXT: ["v=spf1 include:ip4.test ?all"] },
  "redirect.test": { TXT: ["v=spf1 redirect=ip4.test"] },
  "none.test": { TXT: ["something else"] },
  "two.test": { TXT: ["v=spf1 -all", "v=spf1 +all"] },
  "macro.test": { TXT: ["v=spf1 exists:%{i}.x.test -all"] },
  "loop.test": { TXT: ["v=spf1 include:loop.test -all"] },
  "odd.test": { TXT: ["v=spf1 ipv4:192.0.2.1 -all"] },
  "after-all.test": { TXT: ["v=spf1 ip4:192.0.2.10 -all include:gone.test include:after-all.test redirect=gone.test"] },
  "before-all.test": { TXT: ["v=spf1 redirect=gone.test ip4:192.0.2.10 -all"] },
  "outer.test": { TXT: ["v=spf1 include:inner.test -all"] },
  "inner.test": { TXT: ["v=spf1 ip4:192.0.2.10 ?all include:gone.test exists:%{i}.x.test"] },
  "odd-after-all.test": { TXT: ["v=spf1 ip4:192.0.2.10 -all include:"] },
  "silent.test": { TXT: ["v=spf1 ip4:192.0.2.1"] },
})

test.each([
  ["ip4.test", "192.0.2.9", "pass"],
  ["ip4.test", "198.51.100.9", "fail"],
  ["ip4.test", "2001:db8::1", "fail"],
  ["ip6.test", "2001:db8::1", "pass"],
  ["ip6.test", "192.0.2.9", "softfail"],
  ["a.test", "192.0.2.7", "pass"],
  ["a.test", "192.0.2.8", "fail"],
  ["net.test", "192.0.2.8", "pass"],
  ["six.test", "192.0.2.8", "pass"],
  ["six.test", "2001:db8::7", "pass"],
  ["six.test", "2001:db8::8", "fail"], // the one length is that of IPv4
  ["both.test", "192.0.2.8", "pass"],
  ["both.test", "2001:db8::8", "pass"],
  ["both.test", "2001:db8:0:1::8", "fail"],
  ["late.test", "192.0.2.7", "permerror"], // an error anywhere spoils the whole record (RFC 7208 §4.6)
  ["mx.test", "192.0.2.7", "pass"],
  ["include.test", "192.0.2.7", "pass"],
  ["include.test", "198.51.100.9", "neutral"],
  ["redirect.test", "198.51.100.9", "fail"],
  ["none.test", "192.0.2.7", "none"],
  ["two.test", "192.0.2.7", "permerror"],
  ["macro.test", "192.0.2.7", "unknown"],
  ["loop.test", "192.0.2.7", "permerror"],
  ["odd.test", "192.0.2.7", "permerror"],
  ["after-all.test", "192.0.2.10", "pass"], // RFC 7208 §5.1
  ["after-all.test", "192.0.2.7", "fail"],
  ["before-all.test", "192.0.2.7", "fail"],
  ["outer.test", "192.0.2.10", "pass"],
  ["outer.test", "192.0.2.7", "fail"],
  ["odd-after-all.test", "192.0.2.10", "permerror"], // §4.6
  ["silent.test", "192.0.2.7", "neutral"],
  ["ip4.test", "system", "unknown"],
])("%s for %s: %s", async (domain, ip, result) => {
  expect(await evaluateSpf(domain, ip, (name, type) => dns.resolve(name, type))).toBe(result)
})
