import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { groupsOf, MAX_ACCOUNT_SHARE, weightByGroup } from "../../../src/domain/learning/account-weights.ts"
import { NO_HISTORY, snapshotOf } from "../../../src/domain/learning/features.ts"
import { PRIOR_MODELS, predict } from "../../../src/domain/learning/model.ts"
import { neighborHistory, type Observation, samplesOf } from "../../../src/domain/learning/samples.ts"
import { calibrationTable, measure } from "../../../src/domain/learning/training-report.ts"
import { ledgerOf } from "../../../src/domain/verification/ledger.ts"
import { adjustmentOf } from "../../../src/domain/verification/score.ts"
import { withPrediction } from "../../../src/domain/verification/verification.ts"
import { domainFacts, mailbox, NOW, rcpt, verificationOf } from "../../support/deps/evidence.ts"
import { NO_NEIGHBORS } from "../../support/mail/simulated-world.ts"

const ok = rcpt(250, "2.1.5 Ok")
const missing = rcpt(550, "5.1.1 no such user")
const greylisted = rcpt(451, "4.7.1 greylisted")
const asked = (outcome: typeof ok, control: typeof ok | null = null) => ({
  domain: domainFacts(),
  mailbox: mailbox(outcome, control),
})

const acceptAll = (email: string) => verificationOf(email, asked(ok, ok))

const predicted = (verification: ReturnType<typeof verificationOf>) =>
  withPrediction(verification, predict(PRIOR_MODELS.deliverability, snapshotOf(verification)!, NO_HISTORY))

describe("the effect of a prediction on the score", () => {
  test("at an accept-all domain a name raises it, gibberish lowers it, and only the name is sendable", () => {
    const [name, gibberish] = [
      predicted(acceptAll("anna.schmidt@example.org")),
      predicted(acceptAll("xkqzvbtrw@example.org")),
    ]
    expect(name.score.breakdown.mlAdjustment).toBeGreaterThan(0)
    expect(gibberish.score.breakdown.mlAdjustment).toBeLessThan(0)
    expect(name.score.total).toBeGreaterThan(gibberish.score.total + 10)
    expect(name.canSend).toBe(true)
  })

  test("the points add up, and the ledger names the model", () => {
    const verification = predicted(acceptAll("anna.schmidt@example.org"))
    const { breakdown, total } = verification.score
    expect(Object.values(breakdown).reduce((sum, points) => sum + points, 0)).toBe(total)
    const ledger = ledgerOf(verification)
    expect(ledger.reduce((sum, { points }) => sum + points, 0)).toBe(total)
    expect(ledger.find(({ fact }) => fact === "model")).toMatchObject({
      rule: "model.prior",
      points: breakdown.mlAdjustment,
      value: expect.stringMatching(/^0\.\d{3}$/),
    })
  })

  test("contributions and bias add up to the probability", () => {
    const { prediction } = predicted(acceptAll("anna.schmidt@example.org"))
    const logOdds = prediction!.contributions.reduce((sum, one) => sum + one.logOdds, prediction!.bias)
    expect(1 / (1 + Math.exp(-logOdds))).toBeCloseTo(prediction!.probability, 10)
  })

  test("a rejected address does not change", () => {
    const verification = predicted(verificationOf("anna.schmidt@example.org", asked(missing)))
    expect(verification.score.breakdown.mlAdjustment).toBe(0)
    expect(verification.canSend).toBe(false)
  })

  test("the model alone makes no unanswered address sendable", () => {
    const verification = verificationOf("anna.schmidt@example.org", asked(greylisted))
    const sure = { version: 1, probability: 0.999, bias: 0, contributions: [] }
    expect(withPrediction(verification, sure).canSend).toBe(false)
  })

  test("it is at most 20 points", () => {
    const breakdown = { base: 50, smtpBonus: 30, catchAllBonus: 0, mxBonus: 10 }
    const status = fc.constantFrom("valid", "accept_all", "unknown", "invalid", "invalid_syntax")
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), status, (probability, given) => {
        const points = adjustmentOf(probability, breakdown, { status: given as "valid" })
        expect(Number.isInteger(points) && Math.abs(points) <= 20).toBe(true)
      }),
    )
  })
})

describe("samples", () => {
  const snapshot = snapshotOf(acceptAll("anna@example.org"))!
  const DAY = 86_400_000
  const fact = (kind: Observation["kind"], day: number, more: Partial<Observation> = {}): Observation => ({
    accountId: "a",
    addressHash: "h",
    domain: "example.org",
    kind,
    at: NOW + day * DAY,
    snapshot,
    ...more,
  })
  const outcomes = (facts: Observation[]) =>
    samplesOf(facts, NO_NEIGHBORS).map(({ outcome, values }) => ({ outcome, values }))

  test("one address of one account is one sample, for any number of facts", () => {
    expect(outcomes([fact("delivered", 0), fact("opened", 0.1), fact("clicked", 0.2)])).toMatchObject([{ outcome: 1 }])
  })

  test("a delivery that bounces afterwards has bounced", () => {
    expect(outcomes([fact("hard_bounce", 0.01), fact("delivered", 0)])).toMatchObject([{ outcome: 0 }])
  })

  test("an earlier mailing is history of a later one", () => {
    const [sample] = outcomes([fact("delivered", 0), fact("hard_bounce", 30)])
    expect(sample).toMatchObject({ outcome: 0, values: { address_arrived: 1, domain_history: Math.log(2) } })
  })

  test("other addresses of the domain are history, but only the account's own", () => {
    const own = [fact("hard_bounce", 0, { addressHash: "1" }), fact("delivered", 1)]
    const foreign = [fact("hard_bounce", 0, { addressHash: "1", accountId: "b" }), fact("delivered", 1)]
    expect(outcomes(own)[1]!.values.domain_history).toBeCloseTo(Math.log(1 / 2))
    expect(outcomes(foreign)[1]!.values.domain_history).toBeUndefined()
  })

  test("soft bounces and reports of verdicts are not outcomes", () => {
    expect(outcomes([fact("soft_bounce", 0), fact("report_incorrect", 1)])).toEqual([])
  })

  test("an address is not its own neighbor", () => {
    const neighborhood = { formats: new Map([["{word}", 6]]), known: 6, missing: 0 }
    const around = (own: "known" | null) => neighborHistory(neighborhood, { pattern: "{word}", own })
    expect(around("known")).toEqual({ formatShare: 1, missingShare: 0 })
    expect(neighborHistory({ ...neighborhood, known: 5 }, { pattern: "{word}", own: "known" }).formatShare).toBeNull()
    expect(neighborHistory(undefined, { pattern: "{word}", own: null })).toEqual(NO_NEIGHBORS())
  })
})

describe("weights of accounts", () => {
  const many = (sizes: readonly number[]) => sizes.flatMap((n, account) => Array<string>(n).fill(`acc_${account}`))

  test("no account exceeds its share, for any number of reports", () => {
    const groups = groupsOf(many([50_000, ...Array<number>(20).fill(300)]))
    const weights = weightByGroup(groups, new Set())
    const totals = [...new Set(groups)].map(
      (group) => weights.get(group)! * groups.filter((one) => one === group).length,
    )
    const all = totals.reduce((sum, total) => sum + total, 0)
    expect(Math.max(...totals) / all).toBeLessThanOrEqual(MAX_ACCOUNT_SHARE + 1e-6)
    expect(weights.get("acc_1")).toBe(1)
  })

  test("accounts with few samples form one group, and trusted ones are not reduced", () => {
    expect(new Set(groupsOf(many([5, 19, 20])))).toEqual(new Set(["(small accounts)", "acc_2"]))
    expect(weightByGroup(many([5_000, 100]), new Set(["acc_0"])).get("acc_0")).toBe(1)
  })
})

describe("metrics", () => {
  const scored = (list: readonly (readonly [number, number])[]) =>
    list.map(([probability, outcome]) => ({ probability, outcome, weight: 1 }))

  test.each([
    [
      "perfect order",
      [
        [0.9, 1],
        [0.8, 1],
        [0.2, 0],
      ],
      1,
    ],
    [
      "reversed",
      [
        [0.1, 1],
        [0.9, 0],
      ],
      0,
    ],
    [
      "all the same",
      [
        [0.5, 1],
        [0.5, 0],
        [0.5, 0],
      ],
      0.5,
    ],
    [
      "one pair of four wrong",
      [
        [0.9, 1],
        [0.4, 1],
        [0.6, 0],
        [0.1, 0],
      ],
      0.75,
    ],
  ] as const)("AUC of %s", (_, list, auc) => {
    expect(measure(scored(list))!.auc).toBe(auc)
  })

  test("Brier and log-loss match a manual calculation", () => {
    const { brier, logLoss, baseRate } = measure(
      scored([
        [0.8, 1],
        [0.4, 0],
      ]),
    )!
    expect(brier).toBeCloseTo((0.04 + 0.16) / 2)
    expect(logLoss).toBeCloseTo(-(Math.log(0.8) + Math.log(0.6)) / 2)
    expect(baseRate).toBe(0.5)
  })

  test("calibration measures the distance between predictions and outcomes", () => {
    const list = scored([...Array<[number, number]>(8).fill([0.95, 1]), ...Array<[number, number]>(2).fill([0.95, 0])])
    expect(measure(list)!.calibrationError).toBeCloseTo(0.15)
    expect(calibrationTable(list)).toMatchObject([{ from: 0.9, to: 1, samples: 10, observed: 0.8 }])
  })

  test("a single outcome has no AUC, and an empty set has no metrics", () => {
    expect(measure(scored([[0.5, 1]]))!.auc).toBeNull()
    expect(measure([])).toBeNull()
  })
})
