import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  dmarcNames,
  policyCovers,
  readBimi,
  readDkimKey,
  readDmarc,
  readMtaStsPolicy,
  readMtaStsRecord,
} from "../../../src/domain/dns/mail-auth.ts"
import { runToTheEnd } from "../../support/time/bounded-work.ts"

describe("DMARC (RFC 9989 §4.7, §4.10.1)", () => {
  const read = (isSubdomain: boolean, ...texts: string[]) => readDmarc(texts, { foundAt: "example.test", isSubdomain })
  const record = (policy: string, hasReports = false) => ({
    kind: "record",
    foundAt: "example.test",
    policy,
    hasReports,
  })

  test.each<[string, string[], object]>([
    ["nothing", [], { kind: "none" }],
    ["other texts", ["v=spf1 -all", "v=DMARC11; p=none"], { kind: "none" }],
    ["a policy", ["v=DMARC1; p=reject"], record("reject")],
    ["spaces, capitals, a last semicolon", ["v=DMARC1 ;P = Quarantine ; "], record("quarantine")],
    ["reports", ["v=DMARC1;p=none;rua=mailto:a@b.test"], record("none", true)],
    ["reports alone count as none", ["v=DMARC1; rua=mailto:a@b.test"], record("none", true)],
    [
      "an unknown policy with reports counts as none",
      ["v=DMARC1; p=nonsense; rua=mailto:a@b.test"],
      record("none", true),
    ],
    ["no policy", ["v=DMARC1; pct=100"], { kind: "invalid", problem: "no_policy" }],
    ["two records", ["v=DMARC1; p=none", "v=DMARC1; p=reject"], { kind: "invalid", problem: "several_records" }],
    ["a tag twice", ["v=DMARC1; p=none; p=reject"], { kind: "invalid", problem: "syntax" }],
    [
      "parts that are not tags are skipped",
      ["v=DMARC1; p=reject; quarantine;; rua=mailto:a@b.test;"],
      record("reject", true),
    ],
    ["unknown and obsolete tags are skipped", ["v=DMARC1; pct=5; x=y; p=reject; rf=afrf; ri=1"], record("reject")],
    [
      "an unknown subdomain policy makes the record invalid",
      ["v=DMARC1; p=reject; sp=all"],
      { kind: "invalid", problem: "no_policy" },
    ],
    [
      "an unknown subdomain policy with reports counts as none",
      ["v=DMARC1; p=reject; np=x; rua=mailto:a@b.test"],
      record("none", true),
    ],
    ["test mode: one step milder", ["v=DMARC1; p=reject; t=y"], record("quarantine")],
    ["test mode of a mild policy", ["v=DMARC1; p=quarantine; t=Y"], record("none")],
    ["no test mode", ["v=DMARC1; p=reject; t=n"], record("reject")],
    ["the version is not first", ["p=reject; v=DMARC1"], { kind: "none" }],
    ["the version is case-sensitive", ["v=dmarc1; p=reject"], { kind: "none" }],
    ["the version tag is not case-sensitive", ["V=DMARC1; p=reject"], record("reject")],
  ])("%s", (_, texts, expected) => {
    expect(read(false, ...texts)).toEqual(expected)
  })

  test("below the organizational domain sp applies, else p", () => {
    expect(read(true, "v=DMARC1; p=none; sp=reject")).toEqual(record("reject"))
    expect(read(true, "v=DMARC1; p=quarantine")).toEqual(record("quarantine"))
    expect(read(false, "v=DMARC1; p=none; sp=reject")).toEqual(record("none"))
    expect(read(true, "v=DMARC1; p=none; sp=reject; t=y")).toEqual(record("quarantine"))
  })

  test.each<[string, string[]]>([
    ["example.com", ["example.com", "com"]],
    ["a.b.example.co.uk", ["a.b.example.co.uk", "b.example.co.uk", "example.co.uk", "co.uk", "uk"]],
    // §4.10: at most eight queries
    [
      "1.2.3.4.5.6.7.8",
      ["1.2.3.4.5.6.7.8", "2.3.4.5.6.7.8", "3.4.5.6.7.8", "4.5.6.7.8", "5.6.7.8", "6.7.8", "7.8", "8"],
    ],
    [
      "0.1.2.3.4.5.6.7.8",
      ["0.1.2.3.4.5.6.7.8", "2.3.4.5.6.7.8", "3.4.5.6.7.8", "4.5.6.7.8", "5.6.7.8", "6.7.8", "7.8", "8"],
    ],
  ])("names to query for %s", (domain, names) => {
    expect(dmarcNames(domain)).toEqual(names)
  })
})

describe("DKIM keys (RFC 6376 §3.6.1)", () => {
  test.each<[string, string[], boolean]>([
    ["nothing", [], false],
    ["a key", ["v=DKIM1; k=rsa; p=MIGfMA0GCSq/+ab=="], true],
    ["the version may be left out", ["p=MIGfMA0G"], true],
    ["an Ed25519 key (RFC 8463)", ["v=DKIM1; k=ed25519; p=11qYAYKx"], true],
    ["white space inside the key", ["v=DKIM1; p=MIGf MA0G\tab=="], true],
    ["revoked", ["v=DKIM1; p="], false],
    ["testing", ["v=DKIM1; t=s:y; p=MIGf"], true],
    ["two semicolons", ["v=DKIM1;; k=rsa; p=MIGf;;"], true],
    ["for mail among other services", ["v=DKIM1; s=other : email; p=MIGf"], true],
    ["for every service", ["v=DKIM1; s=*; p=MIGf"], true],
    ["for another service (RFC 8460 §3)", ["v=DKIM1; s=tlsrpt; p=MIGf"], false],
    ["the version is not first", ["k=rsa; v=DKIM1; p=MIGf"], false],
    ["another version", ["v=DKIM2; p=MIGf"], false],
    ["no key", ["v=DKIM1; k=rsa"], false],
    ["no base64", ["v=DKIM1; p=<key>"], false],
    ["some other text, then a key", ["hello", "v=DKIM1; p=MIGf"], true],
  ])("%s", (_, texts, expected) => {
    expect(readDkimKey(texts) === "usable").toBe(expected)
  })
})

describe("MTA-STS (RFC 8461)", () => {
  test.each<[string, string[], object]>([
    ["nothing", ["v=spf1 -all"], { kind: "none" }],
    ["a record", ["v=STSv1; id=20160831085700Z;"], { kind: "record", id: "20160831085700Z" }],
    ["no last semicolon", ["v=STSv1;id=a"], { kind: "record", id: "a" }],
    ["no id", ["v=STSv1;"], { kind: "invalid", problem: "record" }],
    ["an id too long", [`v=STSv1; id=${"a".repeat(33)}`], { kind: "invalid", problem: "record" }],
    ["two records", ["v=STSv1; id=a;", "v=STSv1; id=b;"], { kind: "invalid", problem: "several_records" }],
  ])("%s", (_, texts, expected) => {
    expect(readMtaStsRecord(texts)).toEqual(expected)
  })

  const EXAMPLE = "version: STSv1\nmode: enforce\nmx: mail.example.com\nmx: *.example.net\nmax_age: 604800\n"
  test.each<[string, string, object | null]>([
    ["the example of §3.2", EXAMPLE, { mode: "enforce", mx: ["mail.example.com", "*.example.net"] }],
    ["CRLF", EXAMPLE.replaceAll("\n", "\r\n"), { mode: "enforce", mx: ["mail.example.com", "*.example.net"] }],
    ["mode none needs no mx", "version: STSv1\nmode: none\nmax_age: 86400", { mode: "none", mx: [] }],
    [
      "the first mode counts",
      "version: STSv1\nmode: testing\nmode: enforce\nmx: a.test\nmax_age: 1",
      { mode: "testing", mx: ["a.test"] },
    ],
    ["no mx", "version: STSv1\nmode: enforce\nmax_age: 1", null],
    ["no version", "mode: none\nmax_age: 1", null],
    ["no max_age", "version: STSv1\nmode: none", null],
    ["max_age beyond a year", "version: STSv1\nmode: none\nmax_age: 31557601", null],
    ["a web page", "<!doctype html><title>404</title>", null],
  ])("policy: %s", (_, text, expected) => {
    expect(readMtaStsPolicy(text)).toEqual(expected)
  })

  test("a wildcard matches one label", () => {
    const policy = readMtaStsPolicy(EXAMPLE)!
    expect(policyCovers(policy, ["mail.example.com", "mx1.example.net"])).toBe(true)
    expect(policyCovers(policy, ["a.b.example.net"])).toBe(false)
    expect(policyCovers(policy, ["example.net"])).toBe(false)
    expect(policyCovers(policy, ["mail.example.com", "other.test"])).toBe(false)
  })
})

test.each<[string, string[], object]>([
  ["nothing", [], { kind: "none" }],
  [
    "a logo",
    ["v=BIMI1; l=https://a.test/l.svg"],
    { kind: "record", logo: "https://a.test/l.svg", hasCertificate: false },
  ],
  [
    "a logo with certificate",
    ["v=BIMI1; l=https://a.test/l.svg; a=https://a.test/c.pem"],
    { kind: "record", logo: "https://a.test/l.svg", hasCertificate: true },
  ],
  ["declined", ["v=BIMI1; l=; a=;"], { kind: "declined" }],
  ["no logo tag", ["v=BIMI1;"], { kind: "invalid" }],
  ["not over HTTPS", ["v=BIMI1; l=http://a.test/l.svg"], { kind: "invalid" }],
  ["two records", ["v=BIMI1; l=https://a.test/l.svg", "v=BIMI1; l="], { kind: "invalid" }],
])("BIMI: %s", (_, texts, expected) => {
  expect(readBimi(texts)).toEqual(expected)
})

describe("a published record is read in linear time", () => {
  test.each<[string, (blanks: string) => unknown]>([
    ["a policy with a line separator in it", (blanks) => readMtaStsPolicy(`mx:${blanks}x${blanks}\u2028x`)],
    ["a policy with blanks in a line", (blanks) => readMtaStsPolicy(`mx:x${blanks}y`)],
    ["a key with blanks in it", (blanks) => readDkimKey([`v=DKIM1; p=MIGf${blanks}!`])],
  ])("%s", (_, read) => {
    runToTheEnd(() => read(" ".repeat(1_000_000)))
  })
})

test("readers never throw", () => {
  fc.assert(
    fc.property(fc.constantFrom("v=DMARC1;", "v=DKIM1;", "v=STSv1;", "v=BIMI1;", ""), fc.string(), (head, text) => {
      const texts = [head + text]
      readDmarc(texts, { foundAt: "a.test", isSubdomain: false })
      readDkimKey(texts)
      readMtaStsRecord(texts)
      readMtaStsPolicy(text)
      readBimi(texts)
    }),
  )
})
