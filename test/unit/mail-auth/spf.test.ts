import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { checkSpf, type Spf } from "../../../src/domain/mail-auth/spf.ts"
import { readSpfRecord } from "../../../src/domain/mail-auth/spf-record.ts"
import { dnsZone, type Zone } from "../../support/mail/dns-zone.ts"

const D = "example.test"
const check = (zone: Zone) => {
  const dns = dnsZone(zone)
  return checkSpf(D, (name, type) => dns.resolve(name, type))
}
const own = (...TXT: string[]): Zone => ({ [D]: { TXT } })
const permerror = (problem: string, at = D) => ({ kind: "permerror", problem, at })
const valid = (all: string | null, lookups: number) => ({ kind: "valid", all, lookups })
const chain = (length: number): Zone =>
  Object.fromEntries(
    Array.from({ length }, (_, n) => [
      n === 0 ? D : `s${n}.test`,
      { TXT: [n === length - 1 ? "v=spf1 ip4:192.0.2.1 -all" : `v=spf1 include:s${n + 1}.test -all`] },
    ]),
  )
const mailHosts = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ preference: n, host: `mx${n}.example.test` }))

describe("records", () => {
  test.each<[string, boolean]>([
    // RFC 7208 §12 and appendix A
    ["v=spf1 -all", true],
    ["v=spf1 a -all", true],
    ["v=spf1 a:example.org -all", true],
    ["v=spf1 mx/30 mx:example.org/30 -all", true],
    ["v=spf1 ptr -all", true],
    ["v=spf1 ip4:192.0.2.128/28 -all", true],
    ["v=spf1 a:mail.%{d} ~all", true],
    ["v=spf1 a//64 -all", true],
    ["v=spf1 a/24//64 -all", true],
    ["v=spf1 ip6:2001:db8::/32 ip6:::1 ip6:2001:db8::192.0.2.1 -all", true],
    ["v=spf1 redirect=_spf.example.com", true],
    ["v=spf1 exists:%{ir}.%{l1r+-}._spf.%{d} -all", true],
    ["v=spf1 ?all exp=explain._spf.%{d} unknown=whatever", true],
    ["V=SPF1 A +MX -ALL", true],
    ["v=spf1  a   -all  ", true],
    ["v=spf1 include:_spf.example.com. -all", true],
    ["v=spf1 a:foo:bar/baz.example.com mx:foo:bar/baz.example.com -all", true], // any visible character but "%" (§7.1)
    ["v=spf1", true],
    // §4.6.1 and §5: errors
    ["v=spf1 all:x", false],
    ["v=spf1 include -all", false],
    ["v=spf1 include: -all", false],
    ["v=spf1 ip4:192.0.2 -all", false],
    ["v=spf1 ip4:192.0.2.1/33 -all", false],
    ["v=spf1 ip4:192.0.2.256 -all", false],
    ["v=spf1 ip4: -all", false],
    ["v=spf1 ip4 -all", false],
    ["v=spf1 ip6:2001:db8::/129 -all", false],
    ["v=spf1 ip6:2001:db8:::1 -all", false],
    ["v=spf1 ip6:1:2:3:4:5:6:7 -all", false],
    ["v=spf1 a:-all", false],
    ["v=spf1 a/33 -all", false],
    ["v=spf1 a//129 -all", false],
    ["v=spf1 a:example.com:8080 -all", false],
    ["v=spf1 mx: -all", false],
    ["v=spf1 -all redirect=a.test redirect=b.test", false],
    ["v=spf1 exp=a.test exp=b.test", false],
    ["v=spf1 bogus -all", false],
    ["v=spf1 a:%{x}.example.com -all", false],
    ["v=spf1 a:%example.com -all", false],
    ["v=spf1 include:localhost -all", false],
    ["v=spf1 include:example.com/24 -all", false],
    ["v=spf1 a:example.-com -all", false], // a top label begins and ends with a letter or digit (§7.1)
    ["v=spf1 a:example.com- -all", false],
    ["v=spf1 -all exp=%{r}.example.com", false], // c, r and t are for explanations (§7.2)
    ["v=spf1 exists:%{t}.example.com -all", false],
    ["v=spf1 -all include:b.test/24", false], // an error after `all` is still an error (§4.6)
    ["v=spf1 -all ip4:192.0.2.300", false],
    ["v=spf1 -all redirect=", false],
    ["v=spf1 –all", false], // an en dash, as word processors write it
    ["v=spf1 ip4:192.0.2.1,192.0.2.2 -all", false],
  ])("%s", (text, ok) => {
    expect(readSpfRecord(text).ok).toBe(ok)
  })

  test("reading never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii", maxLength: 400 }), (text) => {
        readSpfRecord(`v=spf1 ${text}`)
      }),
    )
  })
})

test.each<[string, Zone, Spf | object | null]>([
  ["no TXT at all", {}, { kind: "none" }],
  ["other TXT only", own("hello", "v=spf10 -all"), { kind: "none" }],
  ["one record among others", own("x", "v=spf1 ip4:192.0.2.1 -all"), valid("-", 0)],
  ["two records", own("v=spf1 -all", "v=spf1 ~all"), permerror("several_records")],
  ["a syntax error", own("v=spf1 ipv4:192.0.2.1 -all"), permerror("syntax")],
  ["a DNS failure", { [D]: "servfail" }, null],
  ["a DNS failure in an include", { ...own("v=spf1 include:b.test -all"), "b.test": "servfail" }, null],
  ["a neutral record without all", own("v=spf1 ip4:192.0.2.1"), valid(null, 0)],
  ["an include without a record", own("v=spf1 include:b.test -all"), permerror("include_without_record", "b.test")],
  [
    "an include of two records",
    { ...own("v=spf1 include:b.test -all"), "b.test": { TXT: ["v=spf1 a", "v=spf1 mx"] } },
    permerror("several_records", "b.test"),
  ],
  ["a loop", own(`v=spf1 include:${D} -all`), permerror("loop")],
  ["a redirect", { ...own("v=spf1 redirect=b.test"), "b.test": { TXT: ["v=spf1 ip4:192.0.2.1 ~all"] } }, valid("~", 1)],
  ["a redirect beside all is not followed", own("v=spf1 redirect=nowhere.test ?all"), valid("?", 0)],
  ["a redirect to nothing", own("v=spf1 redirect=b.test"), permerror("include_without_record", "b.test")],
  ["macros are counted, not resolved", own("v=spf1 exists:%{i}.b.test -all"), valid("-", 1)],
  ["ten lookups", chain(11), valid("-", 10)],
  ["eleven lookups", chain(12), permerror("too_many_lookups", "s10.test")],
  [
    "eleven exists",
    own(`v=spf1 ${Array.from({ length: 11 }, (_, n) => `exists:e${n}.test`).join(" ")} -all`),
    permerror("too_many_lookups"),
  ],
  ["two void lookups", own("v=spf1 a:v1.test a:v2.test -all"), valid("-", 2)],
  [
    "three void lookups",
    own("v=spf1 a:v1.test mx:v2.test a:v3.test -all"),
    permerror("too_many_void_lookups", "v3.test"),
  ],
  ["ten mail hosts under mx", { [D]: { TXT: ["v=spf1 mx -all"], MX: mailHosts(10) } }, valid("-", 1)],
  [
    "eleven mail hosts under mx (§4.6.4)",
    { [D]: { TXT: ["v=spf1 mx -all"], MX: mailHosts(11) } },
    permerror("too_many_lookups"),
  ],
  [
    "an IPv6-only host is not void",
    { ...own("v=spf1 a:v1.test a:v2.test a:v3.test -all"), "v3.test": { AAAA: ["2001:db8::1"] } },
    valid("-", 3),
  ],
])("%s", async (_, zone, expected) => {
  expect(await check(zone)).toEqual(expected)
})

/** Terms that are an error wherever they are reached. */
const IGNORED_AFTER_ALL = [
  "include:gone.test",
  `include:${D}`,
  "include:two.test",
  "include:down.test",
  "a:v1.test a:v2.test a:v3.test",
  "mx:v1.test mx:v2.test mx:v3.test",
  "mx:many.test",
  Array.from({ length: 11 }, (_, n) => `exists:e${n}.test`).join(" "),
  Array.from({ length: 11 }, () => "ptr").join(" "),
  "redirect=gone.test",
  `redirect=${D}`,
  "all include:gone.test",
]

/** RFC 7208 §5.1: mechanisms after `all` and any redirect are ignored. */
describe.each(IGNORED_AFTER_ALL)("after all: %s", (terms) => {
  const more: Zone = {
    "two.test": { TXT: ["v=spf1 a", "v=spf1 mx"] },
    "down.test": "servfail",
    "many.test": { MX: mailHosts(11) },
  }
  test.each(["-", "~", "?", "+"])("is not queried or counted after %sall", async (sign) => {
    const dns = dnsZone({ ...own(`v=spf1 ip4:192.0.2.10 ${sign}all ${terms}`), ...more })
    expect(await checkSpf(D, (name, type) => dns.resolve(name, type))).toEqual(valid(sign, 0))
    expect(dns.calls).toHaveLength(1)
  })

  test("is not queried or counted in an include or a redirect", async () => {
    const inner = { "inner.test": { TXT: [`v=spf1 ip4:192.0.2.10 ?all ${terms}`] }, ...more }
    expect(await check({ ...own("v=spf1 include:inner.test -all"), ...inner })).toEqual(valid("-", 1))
    expect(await check({ ...own("v=spf1 redirect=inner.test"), ...inner })).toEqual(valid("?", 1))
  })
})

test("a redirect before all is ignored", async () => {
  expect(await check(own("v=spf1 redirect=gone.test -all"))).toEqual(valid("-", 0))
})

test("sends at most eleven TXT queries", async () => {
  const dns = dnsZone(chain(40))
  await checkSpf(D, (name, type) => dns.resolve(name, type))
  expect(dns.calls.length).toBeLessThanOrEqual(11)
})
