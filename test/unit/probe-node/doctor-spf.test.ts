import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { checkSpf } from "../../../probe-node/doctor/spf.ts"
import { expandMacros } from "../../../probe-node/doctor/spf-macros.ts"
import { type DoctorZone, doctorZone } from "../../support/mail/doctor-zone.ts"

const IP = "203.0.113.5"
const IP6 = "2001:db8::5"
const SENDER = "probe@a.test"

async function spf(record: string | readonly string[], more: DoctorZone = {}, ip = IP) {
  const TXT = typeof record === "string" ? [record] : record
  const dns = doctorZone({ "a.test": { TXT }, ...more })
  return checkSpf(dns, "a.test", { ip, sender: SENDER, heloName: "probe.a.test" })
}

describe("check_host() of RFC 7208", () => {
  test.each<[record: string, result: string, more?: DoctorZone, ip?: string]>([
    ["v=spf1 ip4:203.0.113.5 -all", "pass"],
    ["v=spf1 ip4:203.0.113.0/24 -all", "pass"],
    ["v=spf1 ip4:203.0.113.6 -all", "fail"],
    ["v=spf1 ip4:203.0.113.5 -all", "fail", {}, IP6],
    ["v=spf1 ip6:2001:db8::/32 -all", "pass", {}, IP6],
    ["v=spf1 ip6:2001:db8::/32 ~all", "softfail"],
    ["v=spf1 ?all", "neutral"],
    ["v=spf1", "neutral"],
    ["V=SPF1 IP4:203.0.113.5 -ALL", "pass"],
    ["v=spf1 -ip4:203.0.113.5 +all", "fail"],
    ["v=spf1 a -all", "pass", { "a.test": { TXT: ["v=spf1 a -all"], A: [IP] } }],
    ["v=spf1 a/24 -all", "pass", { "a.test": { TXT: ["v=spf1 a/24 -all"], A: ["203.0.113.99"] } }],
    ["v=spf1 a:b.test//64 -all", "pass", { "b.test": { AAAA: ["2001:db8::99"] } }, IP6],
    ["v=spf1 a:b.test/24//64 -all", "pass", { "b.test": { A: ["203.0.113.1"] } }],
    ["v=spf1 a:b.test -all", "fail", { "b.test": { A: ["203.0.113.6"] } }],
    ["v=spf1 mx -all", "pass", { "a.test": { TXT: ["v=spf1 mx -all"], MX: ["m.test"] }, "m.test": { A: [IP] } }],
    ["v=spf1 include:b.test -all", "pass", { "b.test": { TXT: [`v=spf1 ip4:${IP} -all`] } }],
    ["v=spf1 include:b.test ~all", "softfail", { "b.test": { TXT: ["v=spf1 -all"] } }],
    ["v=spf1 include:b.test -all", "permerror"],
    ["v=spf1 include:b.test -all", "temperror", { "b.test": "down" }],
    ["v=spf1 redirect=b.test", "pass", { "b.test": { TXT: [`v=spf1 ip4:${IP} -all`] } }],
    ["v=spf1 -all redirect=b.test", "fail", { "b.test": { TXT: ["v=spf1 +all"] } }],
    ["v=spf1 redirect=b.test", "permerror"],
    // §5.1: terms after `all`, and a redirect beside it, are ignored. §4.6: their syntax still counts.
    ["v=spf1 ip4:192.0.2.1 -all include:b.test include:a.test", "fail"],
    ["v=spf1 ip4:192.0.2.1 ~all a:x.test a:y.test a:z.test", "softfail"],
    ["v=spf1 redirect=b.test ?all", "neutral"],
    ["v=spf1 include:b.test -all", "fail", { "b.test": { TXT: ["v=spf1 ip4:192.0.2.1 ?all include:c.test"] } }],
    ["v=spf1 -all ip4:203.0.113", "permerror"],
    ["v=spf1 exists:%{ir}.list.test -all", "pass", { "5.113.0.203.list.test": { A: ["127.0.0.2"] } }],
    ["v=spf1 exists:%{ir}.list.test -all", "fail"],
    ["v=spf1 ptr -all", "pass", { [IP]: { PTR: ["x.a.test"] }, "x.a.test": { A: [IP] } }],
    ["v=spf1 ptr -all", "fail", { [IP]: { PTR: ["x.a.test"] }, "x.a.test": { A: ["203.0.113.6"] } }],
    ["v=spf1 ptr -all", "fail", { [IP]: { PTR: ["x.notmya.test"] }, "x.notmya.test": { A: [IP] } }],
    ["v=spf1 unknown-modifier=x ip4:203.0.113.5 -all", "pass"],
    ["v=spf1 ipv4:203.0.113.5 -all", "permerror"],
    ["v=spf1 ip4:203.0.113 -all", "permerror"],
    ["v=spf1 ip4:203.0.113.5/33 -all", "permerror"],
    ["v=spf1 ip4:2001:db8::5 -all", "permerror"],
    ["v=spf1 a/33 -all", "permerror"],
    ["v=spf1 include -all", "permerror"],
    ["v=spf1 all:x -all", "permerror"],
    ["v=spf1 exists:%{x}.test -all", "permerror"],
    ["v=spf1 redirect=b.test redirect=c.test", "permerror"],
    ["v=spf10 -all", "none"],
    ["something else", "none"],
  ])("%s is %s", async (record, result, more, ip) => {
    expect(await spf(record, more, ip)).toMatchObject({ result })
  })

  test("no record, two records, no answer", async () => {
    expect(await spf([])).toMatchObject({ result: "none" })
    expect(await spf(["v=spf1 +all", "v=spf1 -all"])).toMatchObject({ result: "permerror" })
    expect(await spf("", { "a.test": "down" })).toMatchObject({ result: "temperror" })
  })

  test("allows ten look-ups and no more, also in loops", async () => {
    const hosts = (count: number) => Array.from({ length: count }, (_, n) => `a:h${n}.test`).join(" ")
    const zone = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`h${n}.test`, { A: ["192.0.2.1"] }]))
    expect(await spf(`v=spf1 ${hosts(10)} -all`, zone)).toMatchObject({ result: "fail" })
    expect(await spf(`v=spf1 ${hosts(11)} -all`, zone)).toMatchObject({ result: "permerror" })
    expect(await spf("v=spf1 include:a.test -all")).toMatchObject({ result: "permerror" })
    expect(await spf("v=spf1 redirect=a.test")).toMatchObject({ result: "permerror" })
  })

  test("allows two look-ups without a result, and no third", async () => {
    expect(await spf("v=spf1 a:x.test a:y.test -all")).toMatchObject({ result: "fail" })
    expect(await spf("v=spf1 a:x.test a:y.test a:z.test -all")).toMatchObject({ result: "permerror" })
  })

  test("makes no look-ups after the match", async () => {
    const dns = doctorZone({ "a.test": { TXT: [`v=spf1 ip4:${IP} include:b.test -all`] } })
    await checkSpf(dns, "a.test", { ip: IP, sender: SENDER, heloName: "probe.a.test" })
    expect(dns.queried).toEqual(["TXT a.test"])
  })

  test("no record crashes it or causes many look-ups", async () => {
    const words = [
      "a",
      "mx",
      "ptr",
      "all",
      "include",
      "exists",
      "ip4",
      "ip6",
      ":",
      "/",
      "=",
      "redirect",
      "%{i}",
      "%{d2r}",
      "%",
      "~",
      "-",
      "a.test",
      "::",
      "1.2.3.4",
      " ",
    ]
    const record = fc.array(fc.constantFrom(...words), { maxLength: 30 }).map((parts) => `v=spf1 ${parts.join("")}`)
    await fc.assert(
      fc.asyncProperty(record, fc.constantFrom(IP, IP6), async (text, ip) => {
        const dns = doctorZone({ "a.test": { TXT: [text], A: ["192.0.2.1"], MX: ["a.test"] } })
        const { result, why } = await checkSpf(dns, "a.test", { ip, sender: SENDER, heloName: "probe.a.test" })
        expect(["pass", "fail", "softfail", "neutral", "none", "permerror", "temperror"]).toContain(result)
        expect(why).not.toBe("")
        expect(dns.queried.length).toBeLessThan(60)
      }),
      { numRuns: 300 },
    )
  })
})

describe("macros, as in RFC 7208 §7.4", () => {
  const query = { ip: "192.0.2.3", sender: "strong-bad@email.example.com", heloName: "mx.example.org" }
  test.each([
    ["%{s}", "strong-bad@email.example.com"],
    ["%{o}", "email.example.com"],
    ["%{d}", "email.example.com"],
    ["%{d4}", "email.example.com"],
    ["%{d2}", "example.com"],
    ["%{d1}", "com"],
    ["%{dr}", "com.example.email"],
    ["%{d2r}", "example.email"],
    ["%{l}", "strong-bad"],
    ["%{l-}", "strong.bad"],
    ["%{lr}", "strong-bad"],
    ["%{lr-}", "bad.strong"],
    ["%{l1r-}", "strong"],
    ["%{ir}.%{v}._spf.%{d2}", "3.2.0.192.in-addr._spf.example.com"],
    ["%{lr-}.lp.%{ir}.%{v}._spf.%{d2}", "bad.strong.lp.3.2.0.192.in-addr._spf.example.com"],
    ["%{h}", "mx.example.org"],
    ["a%%b%-c", "a%b%20c"],
  ])("%s is %s", (text, name) => {
    expect(expandMacros(text, "email.example.com", query)).toBe(name)
  })

  test("expands an IPv6 address to its 32 digits", () => {
    const ip = "2001:db8::cb01"
    expect(expandMacros("%{ir}.%{v}._spf.%{d2}", "email.example.com", { ...query, ip })).toBe(
      "1.0.b.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6._spf.example.com",
    )
  })

  test.each(["%", "%{", "%{x}", "%(d)", "a%b"])("%s is invalid", (text) => {
    expect(expandMacros(text, "example.com", query)).toBeNull()
  })
})
