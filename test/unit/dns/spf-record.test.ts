import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { expandMacros, isSpf, readSpfRecord } from "../../../schema/wire/spf-record.ts"

test.each([
  ["v=spf1", true],
  ["V=SpF1 -all", true],
  ["v=spf1-all", false],
  ["v=spf10 -all", false],
  [" v=spf1 -all", false],
  ["spf2.0/mfrom -all", false],
])("%j is an SPF record: %s", (text, expected) => {
  expect(isSpf(text)).toBe(expected)
})

describe("syntax (RFC 7208 §4.6.1, §5, §6, §7.1, §12)", () => {
  test.each([
    "",
    "-all",
    " a   -all  ",
    "a -all",
    "a:example.org -all",
    "mx/30 mx:example.org/30 -all",
    "a//64 -all",
    "a/24//64 -all",
    "a/0 mx//0",
    "ptr ptr:example.org",
    "ip4:192.0.2.128/28 ip4:1.1.1.1/0 ip4:192.0.2.1/32 -all",
    "ip6:2001:db8::/32 ip6:::1 ip6:2001:db8::192.0.2.1 ip6:Cafe:Babe:8000::/33 -all",
    "a:mail.%{d} ~all",
    "redirect=_spf.example.com",
    "exists:%{ir}.%{l1r+-}._spf.%{d} -all",
    "exists:%{p}.%{s}.%{o}.%{h}.%{v}.%{L}.example.com",
    "?all exp=explain._spf.%{d} unknown=whatever",
    "moo.cow-far_out=man:dog/cat -all",
    "default=pass",
    "A +MX -ALL",
    "include:_spf.example.com. -all",
    "a:foo.example.xn--zckzah",
    "a:foo:bar/baz.example.com mx:foo:bar/baz.example.com -all", // any visible character but "%" (§7.1)
    "a:macro%%percent%_%_space%-url-space.example.com -all",
  ])("v=spf1 %s is valid", (terms) => {
    expect(readSpfRecord(`v=spf1 ${terms}`)).toMatchObject({ ok: true })
  })

  test.each<[terms: string, word?: string]>([
    ["all:x"],
    ["-all."],
    ["-all/8"],
    ["include"],
    ["include:"],
    ["include:localhost"],
    ["include:example.com/24"],
    ["exists"],
    ["exists:"],
    ["exists:example.com/24"],
    ["ptr/0"],
    ["ptr:"],
    ["ip4"],
    ["ip4:"],
    ["ip4:192.0.2"],
    ["ip4:192.0.2.256"],
    ["ip4:192.0.2.1/33"],
    ["ip4:192.0.2.1/032"],
    ["ip4:192.0.2.1//32"],
    ["ip4:192.0.2.1:8080"],
    ["ip4:192.0.2.1,192.0.2.2"],
    ["ip4:2001:db8::5"],
    ["ipv4:192.0.2.1"],
    ["ip6"],
    ["ip6:2001:db8::/129"],
    ["ip6:::1.1.1.1//33"],
    ["ip6:2001:db8:::1"],
    ["ip6:1:2:3:4:5:6:7"],
    ["ip6::CAFE::BABE"],
    ["ip6:fe80::1%eth0"],
    ["a:"],
    ["a:/24"],
    ["a:-all"],
    ["a/33"],
    ["a//129"],
    ["a/24/64"],
    ["a:example.com:8080"],
    ["a:museum"],
    ["a:museum."],
    ["a:abc.123"],
    ["a:111.222.33.44"],
    ["a:example.-com"], // a top label begins and ends with a letter or digit (§7.1)
    ["a:example.com-"],
    ["a:foo.example.com\0"],
    ["a:foo.example.com\rptr"], // only spaces separate terms
    ["a:%{x}.example.com"],
    ["a:%{d0}.example.com"], // the number of labels is not zero (§7.1)
    ["a:%example.com"],
    ["exists:%(ir).example.com"],
    ["mx:"],
    ["mx/33"],
    ["mx//129"],
    ["mx:abc.123"],
    ["bogus"],
    ["moo.cow/far_out=man"],
    ["moo.cow:far_out=man"],
    ["1up=foo"],
    ["=all"],
    ["foo=%abc"],
    ["redirect:example.com"],
    ["redirect="],
    ["redirect=-all"],
    ["redirect=a.test redirect=b.test", "redirect=b.test"],
    ["exp="],
    ["exp=-all"],
    ["exp=a.test exp=b.test", "exp=b.test"],
    ["exp=%{r}.example.com"], // c, r and t are for explanations (§7.2)
    ["exists:%{t}.example.com"],
    ["–all"], // an en dash, as word processors write it
    ["\u0080a:example.net"],
  ])("v=spf1 %s is invalid, also after all", (terms, word = terms) => {
    for (const around of [`${terms} -all`, `-all ${terms}`, `a  ${terms}`])
      expect(readSpfRecord(`v=spf1 ${around}`)).toEqual({ ok: false, word })
  })

  test.each([
    ["redirect=r.test a", "a redirect=r.test"],
    ["redirect=r.test a -all mx", "a -all"], // §5.1: all ends the record, and no redirect applies beside it
    ["a ?all -all", "a ?all"],
    ["exp=e.test x=y a", "a"],
  ])("v=spf1 %s has the terms %s", (terms, expected) => {
    const record = readSpfRecord(`v=spf1 ${terms}`)
    expect(record.ok && record.terms.map(({ text }) => text).join(" ")).toBe(expected)
  })

  test("reading never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii", maxLength: 400 }), (text) => {
        readSpfRecord(`v=spf1 ${text}`)
      }),
    )
  })
})

describe("macros (RFC 7208 §7.4)", () => {
  const LABEL = `${"a".repeat(60)}.`
  const sender = { ip: "192.0.2.3", mailFrom: "strong-bad@email.example.com", heloName: "mx.example.org" }
  test.each<[text: string, name: string, changed?: Partial<typeof sender>]>([
    ["%{s}", "strong-bad@email.example.com"],
    ["%{o}", "email.example.com"],
    ["%{d}", "email.example.com"],
    ["%{d4}", "email.example.com"],
    ["%{d3}", "email.example.com"],
    ["%{d2}", "example.com"],
    ["%{d02}", "example.com"],
    ["%{d1}", "com"],
    ["%{dr}", "com.example.email"],
    ["%{d2r}", "example.email"],
    ["%{l}", "strong-bad"],
    ["%{l-}", "strong.bad"],
    ["%{lr}", "strong-bad"],
    ["%{lr-}", "bad.strong"],
    ["%{l1r-}", "strong"],
    ["%{l2r+-}", "user.a", { mailFrom: "a-user+foo@example.com" }],
    ["%{ir}.%{v}._spf.%{d2}", "3.2.0.192.in-addr._spf.example.com"],
    ["%{i}", "192.0.2.3", { ip: "::ffff:192.0.2.3" }],
    ["%{lr-}.lp.%{ir}.%{v}._spf.%{d2}", "bad.strong.lp.3.2.0.192.in-addr._spf.example.com"],
    [
      "%{ir}.%{v}._spf.%{d2}",
      "1.0.b.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6._spf.example.com",
      { ip: "2001:db8::cb01" },
    ],
    ["%{h}", "mx.example.org"],
    ["%{p}", "unknown"],
    ["%{l}.%{s}", "postmaster.postmaster@example.com", { mailFrom: "example.com" }],
    ["%{l}", "postmaster", { mailFrom: "@example.com" }],
    ["%{L}.x.%{l}", "a%21b%2fc.x.a!b/c", { mailFrom: "a!b/c@example.com" }], // a capital letter escapes as in a URL
    ["a%%b%-c%_d", "a%b%20c d"],
    ["X.%{d}.", "x.email.example.com"],
    // §7.3: labels on the left go until the name has at most 253 characters
    [`${LABEL.repeat(4)}%{d}`, `${LABEL.repeat(3)}email.example.com`],
  ])("%s is %s", (text, name, changed) => {
    expect(expandMacros(text, "email.example.com", { ...sender, ...changed })).toBe(name)
  })
})
