import { createHash } from "node:crypto"
import { deflateRawSync } from "node:zlib"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { DICTIONARY_1, packEvidence, unpackEvidence } from "../../../src/adapters/verification/evidence-codec.ts"
import { parseAddress } from "../../../src/domain/address/parse.ts"
import { forCurrentSpelling, type StoredEvidence } from "../../../src/domain/verification/evidence.ts"
import { domainFacts, mailbox, NOW, rcpt, verificationOf } from "../../support/deps/evidence.ts"

const KNOWN = {
  domain: domainFacts(),
  mailbox: mailbox(rcpt(250, "Ok"), rcpt(550, "5.1.1 No such user")),
  probeProblem: null,
}

/** A verification with every fact, at a domain whose two hosts speak for themselves. */
const TYPICAL = verificationOf("anna.example@mail-domain.example", {
  domain: {
    domain: "mail-domain.example",
    route: {
      kind: "mx",
      hosts: [
        { host: "inbound-1.relay.example", preference: 10 },
        { host: "inbound-2.relay.example", preference: 20 },
      ],
    },
    exchangers: [
      { host: "inbound-1.relay.example", addresses: ["198.51.100.7", "2001:db8:12::7"], isAlias: false },
      { host: "inbound-2.relay.example", addresses: ["203.0.113.90", "2001:db8:99::5"], isAlias: false },
    ],
    spf: { kind: "valid", all: "~", lookups: 7 },
    dkim: { present: true, selectors: ["s2048", "mxvault"], shownBy: "key" },
    dmarc: { kind: "record", foundAt: "mail-domain.example", policy: "quarantine", hasReports: true },
    mtaSts: { kind: "policy", id: "20260101T000000", mode: "enforce", coversMx: true },
    bimi: { kind: "record", logo: "https://mail-domain.example/brand/logo.svg", hasCertificate: true },
    registration: { kind: "registered", at: 1_104_537_600_000 },
    web: { site: "live", httpStatus: 200, https: true, parkedAt: null },
    rbl: { checked: ["zen.spamhaus.org", "bl.spamcop.net"], matched: [], notConsulted: ["psbl.surriel.com"] },
    checkedAt: { route: NOW, exchangers: NOW + 12, spf: NOW + 17, dkim: NOW + 41, dmarc: NOW + 18, web: NOW + 977 },
  },
  mailbox: {
    ...mailbox(
      rcpt(250, "recipient <anna.example@mail-domain.example> is welcome, continue"),
      rcpt(550, "5.1.1 <q8f3a90c11d7b2e4@mail-domain.example> we have no mailbox of this name (#1827)"),
    ),
    attempts: [
      {
        mxHost: "inbound-0.relay.example",
        address: "198.51.100.3",
        outcome: { kind: "failure", stage: "connect", failure: "timeout", detail: "no answer in 5 s", ms: 5_000 },
      },
    ],
  },
  gravatar: { found: false, checkedAt: NOW + 400 },
} as never).evidence

describe("the compact text of evidence", () => {
  test("contains everything but the address and its lists, which are derived again", () => {
    expect(forCurrentSpelling(unpackEvidence(packEvidence(TYPICAL)), TYPICAL.address)).toEqual(TYPICAL)
    expect(unpackEvidence(packEvidence(TYPICAL))).not.toHaveProperty("address")
  })

  test("returns any evidence unchanged", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.string(), fc.constantFrom("5.1.1 No such user\nEHLO"))
    const reply = fc.record({ code: fc.nat(), enhanced: fc.option(text), text, ms: fc.double({ min: 0, noNaN: true }) })
    const stored = fc.record({
      domain: fc.jsonValue({ maxDepth: 1 }),
      mailbox: fc.option(fc.array(reply)),
      probeProblem: text,
    })
    fc.assert(
      fc.property(stored, (some) => {
        const evidence = JSON.parse(JSON.stringify(some)) as StoredEvidence
        expect(unpackEvidence(packEvidence(evidence))).toEqual(evidence)
      }),
    )
  })

  test("has less than 1,000 characters for a typical address", () => {
    expect(packEvidence(TYPICAL).length).toBeLessThan(1_000)
    expect(packEvidence(KNOWN).length).toBeLessThan(300)
  })

  test("of version 1 stays readable: its dictionary never changes", () => {
    const stored =
      "1Q67i4QVGakVibkFOKrS1SGzNr4eqDb0/UYurFDJAAFwFRZ6uIXJZkVqKWlogmUC13IuS2ODRbEzFLItiA2Z7F9lG7DkXLcAReRjUQjLQMwKXB0iZGSZshJqrwekHbhakbY8jm6MqIjXHI7sXJe+TmvORDUIuA5CNw5X1Scjy2JMAej7HncstsWbOWgA="
    expect(unpackEvidence(stored)).toEqual(KNOWN)
    expect(createHash("sha256").update(DICTIONARY_1).digest("hex")).toBe(
      "08e2f6d1c0a4286b4667d028f3be1c77304640c20bd393cc73b0fdc16029b660",
    )
  })

  test("may also be plain JSON", () => {
    expect(unpackEvidence(JSON.stringify(KNOWN))).toEqual(KNOWN)
  })

  test.each([
    ["an unknown version", () => "9abc", "unknown version"],
    ["damaged text", () => packEvidence(TYPICAL).slice(0, 80), ""],
    [
      "text that inflates to more than any evidence",
      () => `1${deflateRawSync("a".repeat(4_000_001)).toString("base64")}`,
      "",
    ],
  ])("is refused for %s", (_, text, message) => {
    expect(() => unpackEvidence(text())).toThrow(message)
  })

  test("is independent of the address", () => {
    const other = { ...TYPICAL, ...forCurrentSpelling(TYPICAL, parseAddress("someone-else@example.org")) }
    expect(packEvidence(other)).toBe(packEvidence(TYPICAL))
  })
})
