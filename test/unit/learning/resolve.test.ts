import fc from "fast-check"
import { afterEach, describe, expect, test } from "vitest"
import type { ValidAddress } from "../../../src/domain/address/parse.ts"
import { estimateMailbox, resolve } from "../../../src/domain/learning/catch-all.ts"
import {
  type AddressFindings,
  evidenceSignals,
  findingSignals,
  type Signal,
} from "../../../src/domain/learning/catch-all-signals.ts"
import { PRIOR_MODELS, setActiveClassifier } from "../../../src/domain/learning/model.ts"
import { nameRealism } from "../../../src/domain/learning/name-realism.ts"
import { NO_ACCOUNT_FLAGS } from "../../../src/domain/suppression/flags.ts"
import type { Evidence } from "../../../src/domain/verification/evidence.ts"
import { withAccountFlags } from "../../../src/domain/verification/verification.ts"
import { domainFacts, mailbox, NOW, rcpt, verificationOf } from "../../support/deps/evidence.ts"

afterEach(() => setActiveClassifier(PRIOR_MODELS.catch_all))

describe("name realism", () => {
  const PEOPLE = [
    "maria.schmidt",
    "j.smith",
    "anna",
    "michael",
    "msmith",
    "jean-pierre.durand",
    "o'brien",
    "john.doe84",
    "sarah_lee",
    "p.schmidtschneider",
    "knightsbridge",
  ]
  const MACHINES = [
    "x7k2p9q4w1z8",
    "a8f3c1e09b77",
    "qwrtpsdfg",
    "90817263",
    "zxcvbnmlkjhgfdsaqwertyuiopzxcvbnmlkjh",
    "7h3k9d2",
  ]

  test.each(PEOPLE)("%s looks like a person", (local) => {
    expect(nameRealism(local).score).toBeGreaterThanOrEqual(0.5)
  })
  test.each(MACHINES)("%s does not look like a person", (local) => {
    expect(nameRealism(local).score).toBeLessThanOrEqual(0.2)
  })
  test("every person scores above every machine, and other scripts than Latin are neutral", () => {
    const lowest = Math.min(...PEOPLE.map((local) => nameRealism(local).score))
    expect(lowest).toBeGreaterThan(Math.max(...MACHINES.map((local) => nameRealism(local).score)))
    expect(nameRealism("山田太郎")).toEqual({ score: 0.5, why: "word" })
  })
  test("is between 0 and 1 for any text", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 64 }), (local) => {
        const { score } = nameRealism(local)
        expect(score >= 0 && score <= 1).toBe(true)
      }),
    )
  })
})

const signal = (weight: number): Signal => ({ signal: "gravatar", observation: "", weight })

describe("the probability", () => {
  test("without any signal it is the prior, and uncertain", () => {
    const { probability, interval, verdict, method } = resolve([])
    expect(probability).toBeCloseTo(0.65, 2)
    expect(interval.high - interval.low).toBeGreaterThan(0.6)
    expect({ verdict, method }).toEqual({ verdict: "uncertain", method: "prior weights" })
  })

  test("a weak signal never decides, strong signals do", () => {
    for (const weight of [-0.6, -0.3, 0.2]) expect(resolve([signal(weight)]).verdict).toBe("uncertain")
    expect(resolve([signal(4.5)]).verdict).toBe("likely_deliverable")
    expect(resolve([signal(-5)]).verdict).toBe("likely_undeliverable")
  })

  test("is inside its interval, never 0 or 1, and grows with the evidence, which narrows the interval", () => {
    const weights = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { maxLength: 10 })
    fc.assert(
      fc.property(weights, fc.double({ min: 0.01, max: 2, noNaN: true }), (list, more) => {
        const before = resolve(list.map(signal))
        const after = resolve([...list, more].map(signal))
        const { low, high } = before.interval
        expect(low <= before.probability && before.probability <= high).toBe(true)
        expect(low >= 0.01 && high <= 0.99).toBe(true)
        expect(after.probability).toBeGreaterThanOrEqual(before.probability)
        const width = (p: number) => Math.log(p / (1 - p))
        if (low > 0.011 && high < 0.989 && after.interval.high < 0.989)
          expect(width(after.interval.high) - width(after.interval.low)).toBeLessThanOrEqual(
            width(high) - width(low) + 0.2,
          )
      }),
    )
  })
})

describe("signals", () => {
  const CATCH_ALL = mailbox(rcpt(250, "Ok"), rcpt(250, "Ok"))
  const NOTHING: AddressFindings = {
    locals: [],
    received: 0,
    bounced: 0,
    reported: null,
    directory: null,
    breaches: null,
  }
  const input = (email: string, evidence: Partial<Evidence> = {}, found: Partial<AddressFindings> = {}): Signal[] => {
    const verification = verificationOf(email, { domain: domainFacts(), mailbox: CATCH_ALL, ...evidence })
    const address = verification.evidence.address as ValidAddress
    return [...evidenceSignals(verification, address), ...findingSignals({ ...NOTHING, ...found }, address)]
  }
  const weight = (signals: Signal[], name: Signal["signal"]) =>
    signals.find(({ signal }) => signal === name)?.weight ?? null
  const EMAIL = "maria.schmidt@example.org"

  test("an accepted recipient has no weight at an accept-all server", () => {
    expect(weight(input(EMAIL), "smtp")).toBe(0)
    expect(
      weight(input(EMAIL, { mailbox: mailbox(rcpt(250, "Ok"), rcpt(550, "5.1.1 unknown user")) }), "smtp"),
    ).toBeGreaterThan(3)
    expect(weight(input(EMAIL, { mailbox: mailbox(rcpt(550, "5.1.1 unknown user")) }), "smtp")).toBeLessThan(-4)
  })

  test("the server's replies count, whatever the account's own mail showed", () => {
    const found = verificationOf(EMAIL, { domain: domainFacts(), mailbox: CATCH_ALL })
    const bounced = withAccountFlags(found, { ...NO_ACCOUNT_FLAGS, hasBounced: true })
    const estimate = estimateMailbox(bounced)!
    expect(weight([...estimate.signals], "smtp")).toBe(0)
    expect(estimate).toEqual(estimateMailbox(found))
    setActiveClassifier({ ...PRIOR_MODELS.catch_all, version: 1 })
    expect(estimateMailbox(bounced)).toEqual(estimateMailbox(found))
  })

  test.each([
    ["null_mx", "the domain declares that it accepts no mail"],
    ["no_such_domain", "the domain does not exist"],
    ["no_mail_host", "the domain has no mail host"],
  ] as const)("a domain without a mail server (%s) is not observed as a server's refusal", (kind, observation) => {
    const signals = input(EMAIL, { domain: domainFacts({ route: { kind } }), mailbox: null })
    expect(signals).toContainEqual({ signal: "smtp", observation, weight: -6 })
  })

  test("without a probe, no server answered about the recipient", () => {
    const signals = input(EMAIL, { mailbox: null, probeProblem: "deadline" })
    expect(signals).toContainEqual({
      ...{ signal: "smtp", weight: 0 },
      observation: "no server answered whether the recipient exists",
    })
  })

  test("a reply that differs from the one for a random recipient counts, except in ids and addresses", () => {
    const differs = mailbox(rcpt(250, "Recipient Maria Schmidt ok"), rcpt(250, "Accepted, will be routed"))
    expect(weight(input(EMAIL, { mailbox: differs }), "reply_difference")).toBeGreaterThan(0)
    const same = mailbox(rcpt(250, `<${EMAIL}> ok a1b2c3`), rcpt(250, "<qabcdefghij12345@example.org> ok d4e5f6"))
    expect(weight(input(EMAIL, { mailbox: same }), "reply_difference")).toBeLessThanOrEqual(0)
  })

  test.each([
    [["a.b", "c.d", "e.f"], null],
    [["john.doe", "jane.roe", "max.muster", "eva.klein", "tom.lang"], 0.9],
    [["jdoe", "jroe", "mmuster", "eklein", "tlang"], -0.6],
  ])("the format of neighbors %j has the weight %s", (locals, expected) => {
    expect(weight(input(EMAIL, {}, { locals }), "domain_format")).toBe(expected)
  })

  test("observations contain no neighbor's name", () => {
    const locals = ["john.doe", "jane.roe", "max.muster", "eva.klein", "tom.lang"]
    const shown = JSON.stringify(input(EMAIL, {}, { locals, received: 3, bounced: 1 }))
    for (const local of locals) expect(shown).not.toContain(local)
  })

  test("each signal's weight has the expected sign", () => {
    const neighbors = (received: number, bounced: number) => ({ received, bounced })
    expect(weight(input(EMAIL, {}, neighbors(9, 1)), "neighbours")).toBeGreaterThan(0.5)
    expect(weight(input(EMAIL, {}, neighbors(1, 9)), "neighbours")).toBeLessThan(-0.5)
    expect(weight(input(EMAIL, {}, neighbors(0, 0)), "neighbours")).toBeNull()
    expect(weight(input(EMAIL, {}, { reported: "arrived" }), "feedback")).toBeGreaterThan(3)
    expect(weight(input(EMAIL, {}, { reported: "bounced" }), "feedback")).toBeLessThan(-3)
    expect(weight(input(EMAIL, {}, { directory: { kind: "group" } }), "directory")).toBeGreaterThan(3)
    expect(weight(input(EMAIL, {}, { directory: { kind: "nobody" } }), "directory")).toBeLessThan(-2)
    expect(weight(input(EMAIL, {}, { breaches: 2 }), "breaches")).toBeGreaterThan(1)
    expect(weight(input(EMAIL, { gravatar: { found: true, checkedAt: NOW } }), "gravatar")).toBeGreaterThan(1)
    expect(weight(input(EMAIL, { gravatar: { found: null, checkedAt: NOW } }), "gravatar")).toBeNull()
    expect(weight(input("info@example.org"), "role_account")).toBeGreaterThan(0)
    const web = { site: "live", httpStatus: 200, https: true, parkedAt: "sedo" } as const
    expect(weight(input(EMAIL, { domain: domainFacts({ web }) }), "web_presence")).toBeLessThan(-2)
    const registration = { kind: "registered", at: NOW - 5 * 86_400_000 } as const
    expect(weight(input(EMAIL, { domain: domainFacts({ registration }) }), "domain_age")).toBeLessThan(0)
  })
})
