import fc from "fast-check"
import { afterEach, describe, expect, test } from "vitest"
import { snapshotOf } from "../../../src/domain/learning/features.ts"
import { PRIOR_MODELS, setActiveClassifier } from "../../../src/domain/learning/model.ts"
import { NO_ACCOUNT_FLAGS } from "../../../src/domain/suppression/flags.ts"
import { isCurrent, presentCached } from "../../../src/domain/verification/cached-checks.ts"
import { ledgerOf } from "../../../src/domain/verification/ledger.ts"
import { catchAllBonus } from "../../../src/domain/verification/score.ts"
import { withAccountFlags, withPrediction } from "../../../src/domain/verification/verification.ts"
import { domainFacts, mailbox, rcpt, verificationOf } from "../../support/deps/evidence.ts"

const ok = rcpt(250, "2.1.5 Ok")
/** A catch-all domain that earns every point of the MX bonus. */
const FULL = domainFacts({
  spf: { kind: "valid", all: "-", lookups: 0 },
  dmarc: { kind: "record", foundAt: "example.org", policy: "reject", hasReports: true },
})
const PLAIN = domainFacts()
const catchAll = (local: string, domain = FULL) =>
  verificationOf(`${local}@example.org`, { domain, mailbox: mailbox(ok, ok) })
/** A classifier that gives every mailbox this probability. */
const constant = (probability: number, version = 1) =>
  setActiveClassifier({
    ...PRIOR_MODELS.catch_all,
    version,
    bias: Math.log(probability / (1 - probability)) + 0.1, // the same reply as for a random recipient has -0.1
    weights: {},
  })

afterEach(() => setActiveClassifier(PRIOR_MODELS.catch_all))

describe("the catch-all bonus", () => {
  test.each([
    [0.01, -20],
    [0.3, -20],
    [0.4, -15],
    [0.49, -11],
    [0.699, -11],
    [0.7, 0],
    [0.719, 0],
    [0.72, 1],
    [0.85, 7],
    [0.99, 14],
  ])("of a probability of %s is %i", (probability, points) => {
    expect(catchAllBonus(probability)).toBe(points)
  })

  test("never falls with the probability", () => {
    const probability = fc.double({ min: 0.01, max: 0.99, noNaN: true })
    fc.assert(
      fc.property(probability, probability, (one, other) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)]
        expect(catchAllBonus(low)).toBeLessThanOrEqual(catchAllBonus(high))
      }),
    )
  })

  test.each([
    ["every other point", FULL],
    ["no SPF and no DMARC", PLAIN],
  ])("with %s, the score allows sending exactly from 70 %%", (_, domain) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99 }), (percent) => {
        constant(percent / 100)
        const verification = catchAll("xq7zk2vv", domain)
        expect(verification.canSend).toBe(verification.catchAll!.probability >= 0.7)
        expect(verification.score.total >= 60).toBe(verification.canSend)
        expect(verification.catchAll!.verdict === "likely_deliverable").toBe(verification.canSend)
      }),
    )
  })

  test("is part of the breakdown and of the ledger, with the classifier and its probability", () => {
    const verification = catchAll("ann.smith", PLAIN)
    expect(verification).toMatchObject({ canSend: true, catchAll: { method: "prior weights" } })
    const bonus = catchAllBonus(verification.catchAll!.probability)
    expect(verification.score.breakdown.catchAllBonus).toBe(bonus)
    expect(ledgerOf(verification)).toContainEqual(
      expect.objectContaining({
        ...{ phase: "signals", fact: "catch_all", points: bonus, rule: "classifier.prior" },
        value: verification.catchAll!.probability.toFixed(3),
      }),
    )
  })

  test("is 0 for every other status, which has no probability", () => {
    for (const outcome of [mailbox(ok, rcpt(550, "5.1.1 no such user")), mailbox(rcpt(451, "later")), null]) {
      const verification = verificationOf("ann.smith@example.org", { domain: FULL, mailbox: outcome })
      expect(verification.catchAll).toBeNull()
      expect(verification.score.breakdown.catchAllBonus).toBe(0)
      expect(ledgerOf(verification).some(({ fact }) => fact === "catch_all")).toBe(false)
    }
  })
})

describe("what can overrule the classifier", () => {
  const unlikely = () => catchAll("xq7zk2vv")

  test("received mail does: it proves the mailbox", () => {
    const { score, canSend } = withAccountFlags(unlikely(), { ...NO_ACCOUNT_FLAGS, isReceived: true })
    expect({ canSend, bonus: score.breakdown.catchAllBonus }).toEqual({ canSend: true, bonus: 0 })
  })

  test("a prediction does not, whatever its probability", () => {
    const sure = { version: 1, probability: 0.999, bias: 0, contributions: [] }
    expect(withPrediction(unlikely(), sure).canSend).toBe(false)
  })
})

describe("another classifier", () => {
  test("changes the score, the send decision and the ledger's rule of the same evidence", () => {
    const before = catchAll("ann.smith")
    constant(0.2, 7)
    const after = catchAll("ann.smith")
    expect([before.canSend, after.canSend]).toEqual([true, false])
    expect(after.score.breakdown.catchAllBonus).toBe(-20)
    expect(ledgerOf(after)).toContainEqual(expect.objectContaining({ fact: "catch_all", rule: "classifier.7" }))
  })

  test("makes the cached form of a catch-all address out of date, and of no other address", () => {
    const cached = presentCached(catchAll("ann.smith"))
    const valid = presentCached(
      verificationOf("ann@example.org", { domain: FULL, mailbox: mailbox(ok, rcpt(550, "5.1.1 no such user")) }),
    )
    expect([cached, valid].map(isCurrent)).toEqual([true, true])
    constant(0.2, 7)
    expect([cached, valid].map(isCurrent)).toEqual([false, true])
  })

  test("reads the same evidence as a training: the snapshot does not depend on the score", () => {
    const { score: before, ...features } = snapshotOf(catchAll("ann.smith"))!
    constant(0.2, 7)
    const { score: after, ...same } = snapshotOf(catchAll("ann.smith"))!
    expect(same).toEqual(features)
    expect(after).toBeLessThan(before)
  })
})
