import fc from "fast-check"
import { describe, expect, it, test } from "vitest"
import { PROVIDER_DOMAINS } from "../../../src/domain/address/mail-providers.ts"
import { parseAddress } from "../../../src/domain/address/parse.ts"
import { didYouMean, explainTypo, suggestAddress } from "../../../src/domain/address/typo-suggestion.ts"
import type { MailRoute } from "../../../src/domain/verification/evidence.ts"
import { runToTheEnd } from "../../support/time/bounded-work.ts"
import { LEGITIMATE_GROUPS } from "./legitimate-set.ts"
import { SHAPE_TYPOS, TYPO_GROUPS, type TypoGroup, UNSEEN_GROUPS } from "./typo-set.ts"

const suggest = (address: string): string | null => suggestAddress(address, parseAddress(address))
const explain = (address: string) => explainTypo(address, parseAddress(address))

function pairs(groups: readonly TypoGroup[]): [typed: string, meant: string][] {
  const meantOf = new Map<string, string>()
  for (const line of groups.flatMap((group) => group.lines.trim().split("\n"))) {
    const [meant = "", typed = ""] = line.split(": ")
    for (const domain of typed.split(" ")) if (!meantOf.has(domain)) meantOf.set(domain, meant)
  }
  return [...meantOf].map(([typed, meant]) => [`john@${typed}`, `john@${meant}`])
}

const legitimate = [...new Set(LEGITIMATE_GROUPS.flatMap((group) => group.domains.trim().split(/\s+/)))]
const unrepaired = (set: readonly (readonly [string, string])[]) =>
  set.filter(([typed, meant]) => suggest(typed) !== meant).map(([typed]) => typed)

describe("suggestAddress on the sets", () => {
  const collected = pairs(TYPO_GROUPS)

  it("repairs at least 96 % of each half of the typo set", () => {
    expect(collected.length).toBeGreaterThanOrEqual(700)
    for (const half of [0, 1]) {
      const set = collected.filter((_, index) => index % 2 === half)
      expect(unrepaired(set).length / set.length, unrepaired(set).join(" ")).toBeLessThanOrEqual(0.04)
    }
  })

  it("repairs at least 88 % of typos from lists without tuning", () => {
    const unseen = pairs(UNSEEN_GROUPS).filter(([typed]) => !collected.some(([known]) => known === typed))
    expect(unrepaired(unseen).length / unseen.length, unrepaired(unseen).join(" ")).toBeLessThanOrEqual(0.12)
  })

  it.each(SHAPE_TYPOS)("%j → %s", (typed, meant) => {
    expect(suggest(typed)).toBe(meant)
  })

  it("does not correct any legitimate domain", () => {
    expect(legitimate.length).toBeGreaterThanOrEqual(800)
    const touched = legitimate.filter((domain) => suggest(`john@${domain}`) !== null)
    expect(touched).toEqual([])
  })
})

describe("explainTypo", () => {
  it.each([
    ["u@gmial.com", { kind: "domain", from: "gmial.com", to: "gmail.com" }],
    ["u@hotmial.fr", { kind: "domain", from: "hotmial.fr", to: "hotmail.fr" }],
    ["u@gmail.con", { kind: "tld", from: "gmail.con", to: "gmail.com" }],
    ["u@ao.lcom", { kind: "domain", from: "ao.lcom", to: "aol.com" }],
    ["u@acme.cmo", { kind: "tld", from: "acme.cmo", to: "acme.com" }],
    ["u@yahoo.co", { kind: "tld", from: "yahoo.co", to: "yahoo.com" }],
    ["u@grnail.com", { kind: "domain", from: "grnail.com", to: "gmail.com" }],
    ["u@vveb.de", { kind: "domain", from: "vveb.de", to: "web.de" }],
    ["u@gmɑil.com", { kind: "domain", from: "gmɑil.com", to: "gmail.com" }],
    ["u@ցmaiɭ.com", { kind: "domain", to: "gmail.com" }],
    ["u@gmailcom", { kind: "missing_dot", to: "u@gmail.com" }],
    ["u@webde", { kind: "missing_dot", to: "u@web.de" }],
    ["u@orangefr", { kind: "missing_dot", to: "u@orange.fr" }],
    ["ugmail.com", { kind: "missing_at", to: "u@gmail.com" }],
    ["u@gmail,com", { kind: "punctuation", to: "u@gmail.com" }],
    ["u @gmail.com", { kind: "white_space", to: "u@gmail.com" }],
    ["mailto:u%40gmail.com", { kind: "extra_text", to: "u@gmail.com" }],
  ])("%s", (address, expected) => {
    expect(explain(address)).toMatchObject(expected)
  })

  it("has more confidence for a doubled letter than for two wrong ones", () => {
    expect(explain("u@gmaill.com")!.confidence).toBeGreaterThan(explain("u@hptmsil.com")!.confidence)
  })

  it.each([
    // The intended address is not recognizable.
    "",
    "@",
    "john",
    "john@",
    "@gmail.com",
    "gmail.com",
    "a b c",
    "john@smith@gmail.com",
    "a@b.com;c@d.com",
    "u@com",
    "u@192.168.0.1",
    "u@[192.0.2.1]",
    "u@acme.xyzz",
    "u@example",
    "www.gmail.com",
    "https://gmail.com",
    "John Peter Doe john@acme.com",
    "Tom <tom@acme.com>, Jerry <jerry@acme.com>",
    // The top-level domain exists, or is a private name.
    "u@acme.cm",
    "u@acme.co",
    "u@acme.om",
    "u@acme.community",
    "u@host.local",
    "u@host.corp",
    "u@host.test",
    "u@localhost",
    // A rooted domain is the same domain. The local part is not corrected.
    "u@gmail.com.",
    "jo'hn@gmail.com",
    "john..doe@acme.invalid".replace("..", "."),
    '"a b"@gmail.com',
    "gmial@gmail.com",
    // Subdomains belong to their parent domain.
    "u@mail.gmail.com",
    "u@outlook.acme.com",
    "u@students.hotmial.com",
  ])("does not correct %j", (address) => {
    expect(explain(address)).toBeNull()
  })

  it.each([
    ["Jo.Hn+Tag@GMIAL.com", "Jo.Hn+Tag@gmail.com"],
    ['"a b"@gmial.com', '"a b"@gmail.com'],
    ["用户@gmial.com", "用户@gmail.com"],
  ])("does not change the local part of %s", (address, expected) => {
    expect(suggest(address)).toBe(expected)
  })
})

describe("explainTypo, for every address", () => {
  const known = fc.constantFrom(...PROVIDER_DOMAINS)
  const letter = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz0123456789.-")

  it("never corrects a provider's own domain, in any case", () => {
    fc.assert(
      fc.property(known, fc.boolean(), (domain, isUpper) => {
        expect(suggest(`u@${isUpper ? domain.toUpperCase() : domain}`)).toBeNull()
      }),
    )
  })

  it("suggests well-formed addresses that need no further correction", () => {
    const typo = fc.tuple(known, fc.nat(), fc.nat(), letter).map(([domain, at, how, other]) => {
      const i = at % domain.length
      const put = [other, "", domain[i]! + domain[i]!, (domain[i + 1] ?? "") + domain[i]!][how % 4]!
      return domain.slice(0, i) + put + domain.slice(i + (how % 4 === 3 ? 2 : 1))
    })
    fc.assert(
      fc.property(typo, (typed) => {
        const suggestion = suggest(`u@${typed}`)
        if (suggestion === null) return
        expect(parseAddress(suggestion)).toMatchObject({ ok: true, normalized: suggestion })
        expect(suggest(suggestion)).toBeNull()
      }),
      { numRuns: 2_000 },
    )
  })

  it("never throws, and returns a confidence between 0 and 1", () => {
    const text = fc.oneof(
      fc.string({ maxLength: 400 }),
      fc.string({ unit: "grapheme", maxLength: 60 }),
      fc.emailAddress(),
    )
    fc.assert(
      fc.property(text, (input) => {
        const explanation = explain(input)
        if (!explanation) return
        expect(explanation.suggestion).not.toBe(input)
        expect(explanation.confidence).toBeGreaterThan(0)
        expect(explanation.confidence).toBeLessThanOrEqual(1)
      }),
    )
  })

  it.each<[what: string, of: (size: number) => string]>([
    ["a word", (size) => "a".repeat(size)],
    ["brackets", (size) => `${"<".repeat(size)}@`],
    ["labels", (size) => `a@${"b.".repeat(size / 2)}con`],
    ["a label", (size) => `a@${"c".repeat(size)}`],
    ["at signs", (size) => "@".repeat(size)],
  ])("takes linear time for %s", (_, of) => {
    for (const size of [300, 1_000_000]) runToTheEnd(() => explain(of(size)))
  })
})

const mx = (host: string): MailRoute => ({ kind: "mx", hosts: [{ host, preference: 10 }] })

test.each<[string, string, MailRoute | undefined, string | null]>([
  ["no mail server", "alice@gmial.com", { kind: "no_such_domain" }, "alice@gmail.com"],
  ["null MX", "alice@gmial.com", { kind: "null_mx" }, "alice@gmail.com"],
  ["DNS did not answer", "alice@gmial.com", { kind: "dns_failure", reason: "timeout" }, "alice@gmail.com"],
  ["DNS was not asked", "alice@gmial.com", undefined, "alice@gmail.com"],
  ["a domain that accepts mail", "alice@gmial.com", mx("mx.gmial.com"), null],
  ["mail to a parking service", "alice@gmial.com", mx("mx.sedoparking.com"), "alice@gmail.com"],
  ["a known domain without a mail host", "alice@gmail.com", { kind: "no_mail_host" }, null],
  ["malformed", "alice.gmail.com", undefined, "alice@gmail.com"],
  ["no similar domain", "alice@example.org", { kind: "no_such_domain" }, null],
])("%s: %s", (_, email, route, expected) => {
  expect(didYouMean(parseAddress(email), route)).toBe(expected)
})
