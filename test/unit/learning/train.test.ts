import { describe, expect, test } from "vitest"
import { groupUnverifiedAccounts } from "../../../src/domain/learning/account-weights.ts"
import { type Dataset, fitLogistic } from "../../../src/domain/learning/logistic.ts"
import { coefficientsOf, type Model, PRIOR_MODELS, predictFrom } from "../../../src/domain/learning/model.ts"
import { type Observation, type Sample, samplesOf } from "../../../src/domain/learning/samples.ts"
import { MAX_INFLUENCE_POINTS, type TrainingOptions, train } from "../../../src/domain/learning/train.ts"
import { NO_NEIGHBORS, observationsOf, simulateWorld, type WorldOptions } from "../../support/mail/simulated-world.ts"

const PRIOR = PRIOR_MODELS.deliverability
const options: TrainingOptions = { kind: "deliverability", minSamples: 1_000, current: PRIOR, trusted: new Set() }
const samplesFrom = (world: WorldOptions) => samplesOf(observationsOf(simulateWorld(world)), NO_NEIGHBORS)

const HONEST: WorldOptions = { mailings: 20_000, accounts: 20, seed: 7 }
const honest = samplesFrom(HONEST)

function trained(samples: readonly Sample[], more: Partial<TrainingOptions> = {}) {
  const training = train(samples, { ...options, ...more })
  if (training.kind !== "trained") throw new Error(`refused: ${training.reason}`)
  return training
}

const asModel = (weights: Pick<Model, "bias" | "weights">): Model => ({ ...PRIOR, ...weights, version: 1 })

/** Largest score difference of two models on any address of the samples. */
function apart(one: Model, other: Model, samples: readonly Sample[]): number {
  const points = samples.map(({ values }) =>
    Math.abs(50 * (predictFrom(one, values).probability - predictFrom(other, values).probability)),
  )
  return Math.max(...points)
}

describe("20,000 simulated mails whose truth differs from the prior", () => {
  const { model, report } = trained(honest)

  test("on held-out mail the trained model beats the prior: AUC by 0.015, Brier by a fifth", () => {
    expect(report.heldOut.auc! - report.prior.auc!).toBeGreaterThan(0.015)
    expect(report.heldOut.brier).toBeLessThan(0.8 * report.prior.brier)
    expect(report.heldOut.logLoss).toBeLessThan(0.85 * report.prior.logLoss)
  })

  test("its probabilities are calibrated: error below 0.05, and nearly every bin within its interval", () => {
    expect(report.heldOut.calibrationError).toBeLessThan(0.05)
    const held = report.calibration.filter(({ predicted, low, high }) => predicted >= low && predicted <= high)
    expect(held.length).toBeGreaterThanOrEqual(report.calibration.length - 2)
  })

  test("it learns the hidden rules of the simulation", () => {
    expect(model.weights.accept_all_microsoft).toBeLessThan(-1)
    expect(model.weights.accept_all_realism).toBeGreaterThan(PRIOR.weights.accept_all_realism! + 0.5)
    expect(model.weights.gravatar, "without data the prior decides").toBeCloseTo(PRIOR.weights.gravatar!, 0)
  })

  test("it is deterministic", () => {
    expect(trained(honest).model).toEqual(model)
  })

  test("the report lists operators and bounce rates by score, each with at least 50 samples", () => {
    expect(report.byOperator.map(({ operator }) => operator)).toEqual(
      expect.arrayContaining(["google", "microsoft365", "proofpoint", "other"]),
    )
    expect(report.byScore.some(({ operator }) => operator === null)).toBe(true)
    for (const { samples, bounced, low, high } of report.byScore) {
      expect(samples).toBeGreaterThanOrEqual(50)
      expect(bounced / samples).toBeGreaterThanOrEqual(low)
      expect(bounced / samples).toBeLessThanOrEqual(high)
    }
  })
})

describe("an account with false reports", () => {
  const falseReporter = { accountId: "acc_liar", mailings: 6_000 }
  const poisoned = samplesFrom({ ...HONEST, falseReporter })
  const others = poisoned.filter(({ accountId }) => accountId !== falseReporter.accountId)

  test(`moves no other account's score by more than ${MAX_INFLUENCE_POINTS} points, with a quarter of all reports`, () => {
    const withLies = asModel(trained(poisoned).model)
    const without = asModel(trained(others).model)
    expect(apart(withLies, without, others)).toBeLessThanOrEqual(MAX_INFLUENCE_POINTS)
  })

  test("would move them further without the limits", () => {
    const believed = train(poisoned, { ...options, trusted: new Set([falseReporter.accountId]) })
    if (believed.kind !== "trained") return expect(believed.reason).toBe("worse_than_current")
    expect(apart(asModel(believed.model), asModel(trained(others).model), others)).toBeGreaterThan(
      2 * MAX_INFLUENCE_POINTS,
    )
  })

  /** The reports of such an account about what it observes; null: no report. */
  const FALSE_REPORTS: readonly (readonly [string, (reported: Observation) => Observation | null])[] = [
    [
      "that invented names of accept-all domains receive mail",
      (told) => (told.snapshot.isCatchAll && told.snapshot.realism < 0.3 ? { ...told, kind: "delivered" } : null),
    ],
    [
      "that every address Google accepts bounces",
      (told) =>
        told.snapshot.operator === "google" && told.snapshot.isCatchAll ? { ...told, kind: "hard_bounce" } : null,
    ],
    [
      "about parked domains, which no other account reports",
      (told) => ({
        ...told,
        kind: "delivered",
        snapshot: { ...told.snapshot, web: "parked" },
      }),
    ],
  ]
  test.each(FALSE_REPORTS)("has the same limit with reports %s", (_, lie) => {
    const world = observationsOf(simulateWorld({ ...HONEST, mailings: 10_000, accounts: 12, falseReporter }))
    const told = world.flatMap((one) => (one.accountId === falseReporter.accountId ? (lie(one) ?? []) : one))
    const samples = samplesOf(told, NO_NEIGHBORS)
    const rest = samples.filter(({ accountId }) => accountId !== falseReporter.accountId)
    expect(samples.length - rest.length).toBeGreaterThan(300)
    const models = [samples, rest].map((some) => asModel(trained(some).model)) as [Model, Model]
    expect(apart(...models, rest)).toBeLessThanOrEqual(MAX_INFLUENCE_POINTS)
  })

  test("fewer than ten accounts train no model, unless the operator trusts them", () => {
    const alone = samplesFrom({ mailings: 4_000, accounts: 1, seed: 3 })
    expect(train(alone, options)).toMatchObject({ kind: "refused", reason: "too_few_accounts" })
    const nine = samplesFrom({
      mailings: 4_000,
      accounts: 9,
      seed: 3,
      falseReporter: { accountId: "acc_liar", mailings: 900 },
    })
    expect(train(nine, options)).toMatchObject({ kind: "refused", reason: "too_few_accounts" })
    const { report } = trained(alone, { trusted: new Set(["acc_0"]) })
    expect(report.heldOut.brier).toBeLessThan(0.85 * report.prior.brier)
  })

  test("has the same limit where ten accounts have a hundred samples each", () => {
    const few = samplesFrom({
      mailings: 1_200,
      accounts: 11,
      seed: 9,
      falseReporter: { accountId: "acc_liar", mailings: 400 },
    })
    const rest = few.filter(({ accountId }) => accountId !== "acc_liar")
    const models = [few, rest].map((some) => asModel(trained(some).model)) as [Model, Model]
    expect(apart(...models, rest)).toBeLessThanOrEqual(MAX_INFLUENCE_POINTS)
  })

  test("many small accounts count as one", () => {
    const swarm = simulateWorld({ ...HONEST, falseReporter: { accountId: "x", mailings: 3_000 } }).map((mailing, n) =>
      mailing.accountId === "x" ? { ...mailing, accountId: `sybil_${n % 250}` } : mailing,
    )
    const samples = samplesOf(observationsOf(swarm), NO_NEIGHBORS)
    const rest = samples.filter(({ accountId }) => !accountId.startsWith("sybil_"))
    const [all, without] = [asModel(trained(samples).model), asModel(trained(rest).model)]
    expect(apart(all, without, rest)).toBeLessThanOrEqual(MAX_INFLUENCE_POINTS)
  })
  test("many free keys together have the same limit, for any number of reports", () => {
    const swarm = simulateWorld({ ...HONEST, falseReporter: { accountId: "x", mailings: 8_000 } }).map((mailing, n) =>
      mailing.accountId === "x" ? { ...mailing, accountId: `sybil_${n % 80}` } : mailing,
    )
    const samples = samplesOf(observationsOf(swarm), NO_NEIGHBORS)
    const rest = samples.filter(({ accountId }) => !accountId.startsWith("sybil_"))
    const known = new Set(rest.map(({ accountId }) => accountId))
    const models = [samples, groupUnverifiedAccounts(samples, known), rest].map((some) => asModel(trained(some).model))
    const [believed, joined, without] = models as [Model, Model, Model]
    expect(apart(believed, without, rest)).toBeGreaterThan(MAX_INFLUENCE_POINTS)
    expect(apart(joined, without, rest)).toBeLessThanOrEqual(MAX_INFLUENCE_POINTS)
  })
})

describe("a training is refused with", () => {
  test("fewer samples than the minimum", () => {
    expect(train(honest.slice(0, 999), options)).toMatchObject({ kind: "refused", reason: "too_few_samples" })
  })

  test("outcomes of one kind only", () => {
    const arrived = honest.filter(({ outcome }) => outcome === 1)
    expect(train(arrived, options)).toMatchObject({ kind: "refused", reason: "one_outcome_only" })
  })

  test("a model worse than the active one: the last months contradict the first ones", () => {
    const turned = honest.map((sample, n) =>
      n < honest.length * 0.85 ? { ...sample, outcome: sample.outcome === 1 ? (0 as const) : (1 as const) } : sample,
    )
    const training = train(turned, options)
    expect(training).toMatchObject({ kind: "refused", reason: "worse_than_current" })
    expect(training.report!.heldOut.logLoss).toBeGreaterThan(training.report!.current.logLoss)
  })
})

describe("the fit", () => {
  const random = (n: number) => ((n * 2_654_435_761) % 1_000) / 1_000
  const rows = Array.from({ length: 3_000 }, (_, n) => [random(n) - 0.5, random(n + 17) - 0.5])
  const truth = [2, -3]
  const data: Dataset = {
    values: Float64Array.from(rows.flat()),
    width: 2,
    outcomes: Float64Array.from(rows, ([a, b], n) =>
      random(n * 31 + 5) < 1 / (1 + Math.exp(-(0.5 + truth[0]! * a! + truth[1]! * b!))) ? 1 : 0,
    ),
    weights: new Float64Array(rows.length).fill(1),
  }
  const anchor = { at: { bias: 0, weights: new Float64Array(2) }, strength: 1e-6 }

  test("finds the weights that made the data", () => {
    const { bias, weights } = fitLogistic(data, anchor)
    expect(bias).toBeCloseTo(0.5, 0)
    expect(weights[0]).toBeCloseTo(2, 0)
    expect(weights[1]).toBeCloseTo(-3, 0)
  })

  test("ends at the maximum of the likelihood: no step in any direction is better", () => {
    const found = fitLogistic(data, anchor)
    const loss = (bias: number, weights: readonly number[]) =>
      rows.reduce((sum, row, n) => {
        const p = 1 / (1 + Math.exp(-(bias + weights[0]! * row[0]! + weights[1]! * row[1]!)))
        return sum - Math.log(data.outcomes[n] === 1 ? p : 1 - p)
      }, 0)
    const at = loss(found.bias, [...found.weights])
    for (const step of [0.01, -0.01]) {
      expect(loss(found.bias + step, [...found.weights])).toBeGreaterThan(at)
      expect(loss(found.bias, [found.weights[0]! + step, found.weights[1]!])).toBeGreaterThan(at)
      expect(loss(found.bias, [found.weights[0]!, found.weights[1]! + step])).toBeGreaterThan(at)
    }
  })

  test("stays at the anchor without data", () => {
    const at = coefficientsOf(PRIOR)
    const empty = { ...data, values: new Float64Array(), width: at.weights.length, outcomes: new Float64Array() }
    expect(fitLogistic({ ...empty, weights: new Float64Array() }, { at, strength: 4 })).toEqual(at)
  })
})
