import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { checkSpf, evaluateSpf, type Spf } from "../../../schema/wire/spf.ts"
import { dnsZone, type Zone } from "../../support/mail/dns-zone.ts"

const D = "a.test"
const IP = "192.0.2.7"
const IP6 = "2001:db8::7"
const REVERSE6 = "7.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"
const mx = (...hosts: string[]) => ({ MX: hosts.map((host, preference) => ({ host, preference })) })
const mailHosts = (count: number) => mx(...Array.from({ length: count }, (_, n) => `mx${n}.test`))
const many = (count: number, term: (n: number) => string) => Array.from({ length: count }, (_, n) => term(n)).join(" ")

/** The names that records refer to. `a.test` itself is added with the record under test. */
const WORLD: Zone = {
  "host.test": { A: ["198.51.100.1", IP], AAAA: ["2001:db8:1::1", IP6], TXT: ["v=spf1 -all"] },
  "near.test": { A: ["192.0.2.99"], AAAA: ["2001:db8::99"] },
  "four.test": { A: [IP] },
  "six.test": { AAAA: [IP6] },
  "foo:bar/baz.test": { A: [IP] },
  "mail.test": mx("near.test", "host.test"),
  "lost-mail.test": mx("gone.test", "host.test"),
  "down-mail.test": mx("down.test"),
  "null-mx.test": mx("."),
  "ten-mx.test": mailHosts(10),
  "many-mx.test": mailHosts(11),
  "pass.test": { TXT: [`v=spf1 ip4:${IP} ip6:${IP6} -all`] },
  "fail.test": { TXT: ["v=spf1 -all"] },
  "soft.test": { TXT: ["v=spf1 ~all"] },
  "neutral.test": { TXT: ["v=spf1 ?all include:gone.test exists:%{i}.x.test"] },
  "silent.test": { TXT: ["v=spf1"] },
  "broken.test": { TXT: ["v=spf1 include +all"] },
  "two.test": { TXT: ["v=spf1 a", "V=SPF1 mx"] },
  "text.test": { TXT: ["v=spfl is no SPF record"] },
  "back.test": { TXT: [`v=spf1 include:${D} -all`] },
  "down.test": "servfail",
  "7.2.0.192.list.test": { A: ["127.0.0.2"] },
  [`${D}.mx.${D}.postmaster.ok.test`]: { A: ["127.0.0.2"] },
  "near.a.test.named.test": { A: ["127.0.0.2"] },
  "7.2.0.192.in-addr.arpa": { PTR: ["gone.a.test", "nota.test", "host.test", "near.a.test"] },
  [REVERSE6]: { PTR: ["host.test"] },
  "nota.test": { A: [IP] },
  "near.a.test": { A: [IP] },
}

const worldOf = (record: string, more: Zone = {}) =>
  dnsZone({ ...WORLD, [D]: { TXT: ["other text", record], A: [IP], AAAA: [IP6], ...mailHosts(1) }, ...more })

function evaluate(record: string, { ip = IP, more = {} as Zone, domain = D } = {}) {
  const dns = worldOf(record, more)
  return evaluateSpf(domain, { ip, mailFrom: domain, heloName: `mx.${domain}` }, (name, type) =>
    dns.resolve(name, type),
  )
}

function check(record: string, more: Zone = {}) {
  const dns = worldOf(record, more)
  return checkSpf(D, (name, type) => dns.resolve(name, type))
}

/** The published suite of RFC 7208 in other words, and what nodes and the edge rely on. */
describe("a sender", () => {
  test.each<[terms: string, result: string, ip?: string]>([
    // Results and qualifiers (§2.6, §4.6.2, §4.7)
    ["", "neutral"],
    ["all", "pass"],
    ["-ALL", "fail"],
    ["~all", "softfail"],
    ["?all", "neutral"],
    ["all -all", "pass"],
    [`-ip4:${IP} +all`, "fail"],
    ["ip4:192.0.2.1", "neutral"],
    ["unknown=x ip4:192.0.2.7 -all exp=gone.test", "pass"],
    // An error anywhere breaks the record (§4.6)
    [`ip4:${IP} -all moo`, "permerror"],
    [`ip4:${IP} ip4:192.0.2.0/33`, "permerror"],
    ["-all include:", "permerror"],
    // Networks (§5.6)
    [`ip4:${IP} -all`, "pass"],
    [`IP4:${IP} -all`, "pass", `::ffff:${IP}`],
    [`ip4:${IP} -all`, "fail", IP6],
    ["ip4:192.0.2.0/24 -all", "pass"],
    ["ip4:192.0.2.8/29 -all", "fail"],
    ["ip4:1.1.1.1/0 -all", "pass"],
    ["ip6:2001:db8::/32 -all", "pass", IP6],
    ["ip6:2001:db8::/32 ~all", "softfail"],
    ["ip6:::1.1.1.1/0 -all", "pass", IP6],
    [`ip6:::ffff:${IP} -all`, "fail"], // an IPv4 connection never matches ip6
    // Addresses (§5.3)
    ["a -all", "pass"],
    ["a -all", "pass", IP6],
    ["a:host.test. -all", "pass"],
    ["a:near.test -all", "fail"],
    ["a:near.test/24 -all", "pass"],
    ["a:near.test/24 -all", "fail", IP6], // the one length is that of IPv4
    ["a:near.test//64 -all", "pass", IP6],
    ["a:near.test//64 -all", "fail"],
    ["a:near.test/24//64 -all", "pass"],
    ["a:near.test/24//64 -all", "pass", IP6],
    ["a:four.test/0 -all", "fail", IP6],
    ["a:six.test//0 -all", "fail"],
    ["a:gone.test/0 -all", "fail"],
    ["a:foo:bar/baz.test -all", "pass"],
    ["a:down.test -all", "temperror"],
    ["a:mail.example...test -all", "fail"], // a name that DNS cannot hold does not match (§4.8)
    [`a:${"x".repeat(64)}.test -all`, "fail"],
    // Mail hosts (§5.4)
    ["mx:mail.test -all", "pass"],
    ["mx:mail.test -all", "pass", IP6],
    ["mx:lost-mail.test -all", "pass"],
    ["mx:down-mail.test -all", "temperror"],
    ["mx:null-mx.test -all", "fail"],
    ["mx:gone.test -all", "fail"],
    ["mx:host.test -all", "fail"], // an implicit MX does not match
    ["mx:ten-mx.test -all", "fail"],
    ["mx:many-mx.test -all", "permerror"],
    // Names in DNS (§5.7)
    ["exists:%{ir}.list.test -all", "pass"],
    ["exists:%{ir}.list.test -all", "fail", "192.0.2.8"],
    ["exists:host.test -all", "pass", IP6],
    ["exists:six.test -all", "fail", IP6], // only A records count, whatever the connection
    ["exists:down.test -all", "temperror"],
    ["exists:%{d}.%{h}.%{l}.ok.test -all", "pass"],
    // Reverse names (§5.5)
    ["ptr -all", "pass"],
    ["ptr:host.test -all", "pass", IP6],
    ["ptr:TEST.host.test ptr:other.test -all", "fail"],
    ["ptr:gone.a.test -all", "fail"], // it does not lead back
    ["ptr -all", "fail", "192.0.2.8"],
    ["exists:%{p}.named.test -all", "pass"], // a name below the domain before others (§7.3)
    ["exists:%{p}.named.test -all", "fail", IP6],
    // Includes (§5.2)
    ["include:pass.test -all", "pass"],
    ["include:pass.test -all", "fail", "192.0.2.8"],
    ["-include:pass.test +all", "fail"],
    ["include:fail.test ~all", "softfail"],
    ["include:soft.test all", "pass"],
    ["include:neutral.test -all", "fail"],
    ["include:silent.test -all", "fail"],
    ["include:broken.test -all", "permerror"],
    ["include:two.test -all", "permerror"],
    ["include:text.test all", "permerror"],
    ["include:gone.test all", "permerror"],
    ["include:down.test all", "temperror"],
    ["include:%{d2} all", "permerror"], // itself
    ["include:back.test all", "permerror"],
    // Redirects (§6.1)
    ["redirect=pass.test", "pass"],
    ["redirect=pass.test", "fail", "192.0.2.8"],
    [`redirect=fail.test ip4:${IP}`, "pass"],
    ["redirect=silent.test", "neutral"],
    ["redirect=broken.test", "permerror"],
    ["redirect=text.test", "permerror"],
    ["redirect=gone.test", "permerror"],
    ["redirect=down.test", "temperror"],
    [`redirect=${D}`, "permerror"],
    [`redirect=${D} ?all`, "neutral"],
    // After the end (§5.1)
    [`ip4:${IP} -all include:gone.test include:${D} redirect=gone.test`, "pass"],
    [`ip4:192.0.2.1 -all include:gone.test include:${D} redirect=gone.test`, "fail"],
    ["~all a:v1.test a:v2.test a:v3.test", "softfail"],
    // Limits (§4.6.4)
    [`${many(10, () => "a:near.test")} -all`, "fail"],
    [`${many(11, () => "a:near.test")} -all`, "permerror"],
    [`${many(9, () => "a:near.test")} include:fail.test -all`, "fail"],
    [`${many(9, () => "a:near.test")} include:back.test -all`, "permerror"],
    [`${many(10, () => "a:near.test")} ip4:${IP} a -all`, "pass"], // a term that is not reached does not count
    ["a:v1.test exists:v2.test -all", "fail"],
    ["a:v1.test exists:v2.test mx:v3.test -all", "permerror"],
  ])("v=spf1 %s: %s", async (terms, result, ip) => {
    expect((await evaluate(`v=spf1 ${terms}`, { ip })).result).toBe(result)
  })

  test.each<[TXT: string[], result: string]>([
    [[], "none"],
    [["v=spf10 -all", "something else"], "none"],
    [["v=spf1-all"], "none"],
    [["v=spf1 -all", "\u0096"], "fail"],
    [["v=spf1 -all", "V=sPf1 +all"], "permerror"],
  ])("the records %j: %s", async (TXT, result) => {
    expect(await evaluate("", { more: { [D]: { TXT } } })).toMatchObject({ result })
  })

  // §4.3
  test.each(["test", `${"x".repeat(64)}.test`, "a..test"])("the domain %s has no record", async (domain) => {
    expect(await evaluate("v=spf1 -all", { domain, more: { [domain]: "servfail" } })).toMatchObject({
      result: "none",
    })
  })

  test.each([
    ["v=spf1 include:pass.test -all", '"include:pass.test" of a.test'],
    ["v=spf1 redirect=pass.test", '"ip4:192.0.2.7" of pass.test'],
    ["v=spf1", "nothing in the record of a.test matches"],
    ["hello", "a.test has no SPF record"],
    ["v=spf1 oops -all", '"oops" in the record of a.test cannot be read'],
    ["v=spf1 include:text.test", '"include:text.test" of a.test leads to no SPF record'],
    ["v=spf1 a:down.test", "the A records of down.test could not be read"],
  ])("the reason of %s", async (record, why) => {
    expect((await evaluate(record)).why).toBe(why)
  })

  test("no lookup follows the match", async () => {
    const dns = worldOf(`v=spf1 ip4:${IP} include:pass.test -all`)
    await evaluateSpf(D, { ip: IP, mailFrom: D, heloName: D }, (name, type) => dns.resolve(name, type))
    expect(dns.calls).toEqual([`TXT ${D}`])
  })

  test("an address that is none is an error at once", async () => {
    await expect(evaluate("v=spf1 -all", { ip: "system" })).rejects.toThrow("address")
  })
})

const permerror = (problem: string, at = D) => ({ kind: "permerror", problem, at })
const valid = (all: string | null, lookups: number) => ({ kind: "valid", all, lookups })
const chain = (length: number): Zone =>
  Object.fromEntries(
    Array.from({ length }, (_, n) => [`s${n + 1}.test`, { TXT: [`v=spf1 include:s${n + 2}.test -all`] }]),
  )
/** Terms that are an error wherever they are reached. */
const IGNORED_AFTER_ALL = [
  ...["include:gone.test", `include:${D}`, "include:two.test", "include:down.test", "all include:gone.test"],
  ...["a:v1.test a:v2.test a:v3.test", "mx:v1.test mx:v2.test mx:v3.test", "mx:many-mx.test", "redirect=gone.test"],
  ...[many(11, (n) => `exists:e${n}.test`), many(11, () => "ptr"), `redirect=${D}`],
]

describe("without a sender", () => {
  test.each<[record: string, expected: Spf | object | null, more?: Zone]>([
    ["hello", { kind: "none" }],
    ["v=spf10 -all", { kind: "none" }],
    ["v=spf1 ip4:192.0.2.1 -all", valid("-", 0)],
    ["v=spf1 ip4:192.0.2.1", valid(null, 0)],
    ["", permerror("several_records"), { [D]: { TXT: ["v=spf1 -all", "v=spf1 ~all"] } }],
    ["v=spf1 ipv4:192.0.2.1 -all", permerror("syntax")],
    ["", null, { [D]: "servfail" }],
    ["v=spf1 include:down.test -all", null],
    ["v=spf1 a:down.test -all", null],
    ["v=spf1 include:gone.test -all", permerror("include_without_record", "gone.test")],
    ["v=spf1 include:two.test -all", permerror("several_records", "two.test")],
    [`v=spf1 include:${D} -all`, permerror("loop")],
    ["v=spf1 include:pass.test include:soft.test ?all", valid("?", 2)], // a match does not end the check
    ["v=spf1 redirect=soft.test", valid("~", 1)],
    ["v=spf1 redirect=gone.test -all", valid("-", 0)],
    ["v=spf1 redirect=gone.test", permerror("include_without_record", "gone.test")],
    ["v=spf1 exists:%{i}.b.test include:%{d}.b.test a:%{p}.b.test ptr exists:gone.test -all", valid("-", 5)],
    ["v=spf1 redirect=%{d2}.b.test", valid(null, 1)],
    ["v=spf1 include:s1.test -all", valid("-", 10), { ...chain(9), "s10.test": { TXT: ["v=spf1 -all"] } }],
    ["v=spf1 include:s1.test -all", permerror("too_many_lookups", "s10.test"), chain(40)],
    [`v=spf1 ${many(11, (n) => `exists:e${n}.test`)} -all`, permerror("too_many_lookups")],
    ["v=spf1 a:v1.test a:v2.test -all", valid("-", 2)],
    ["v=spf1 a:v1.test mx:v2.test a:v3.test -all", permerror("too_many_void_lookups", "v3.test")],
    ["v=spf1 a:v1.test a:v2.test a:six.test -all", valid("-", 3)], // a host with IPv6 only is not void
    ["v=spf1 mx:ten-mx.test -all", valid("-", 1)],
    ["v=spf1 mx:many-mx.test -all", permerror("too_many_lookups", "many-mx.test")],
    ...IGNORED_AFTER_ALL.flatMap((terms): [string, object, Zone][] => {
      const more = { "inner.test": { TXT: [`v=spf1 ip4:192.0.2.10 ?all ${terms}`] } }
      return [
        ...["-", "~", "?", "+"].map((sign): [string, object, Zone] => [
          `v=spf1 ${sign}all ${terms}`,
          valid(sign, 0),
          {},
        ]),
        ["v=spf1 include:inner.test -all", valid("-", 1), more],
        ["v=spf1 redirect=inner.test", valid("?", 1), more],
      ]
    }),
  ])("%s: %j", async (record, expected, more) => {
    expect(await check(record, more)).toEqual(expected)
  })
})

test("no record crashes it or causes many lookups, and both answers find the same syntax errors", async () => {
  const words = [
    ...["a", "mx", "ptr", "all", "include", "exists", "ip4", "ip6", "redirect", "a.test", "::", "1.2.3.4"],
    ...[":", "/", "=", "%{i}", "%{d2r}", "%{p}", "%", "~", "-", " ", " "],
  ]
  const record = fc.array(fc.constantFrom(...words), { maxLength: 30 }).map((parts) => `v=spf1 ${parts.join("")}`)
  await fc.assert(
    fc.asyncProperty(record, fc.constantFrom(IP, IP6), async (text, ip) => {
      const dns = worldOf(text)
      const lookup: Parameters<typeof checkSpf>[1] = (name, type) => dns.resolve(name, type)
      const { result, why } = await evaluateSpf(D, { ip, mailFrom: D, heloName: D }, lookup)
      expect(dns.calls.length).toBeLessThan(130)
      const spf = await checkSpf(D, lookup)
      expect(why).not.toBe("")
      if (spf?.kind === "permerror" && spf.problem === "syntax") expect(result).toBe("permerror")
      if (spf?.kind === "valid") expect(result).not.toBe("none")
    }),
    { numRuns: 300 },
  )
})
