import { afterEach, describe, expect, test } from "vitest"
import { CatchAllWorld } from "../../../scripts/bench/sim/catch-all-world.ts"
import { PRIOR_MODELS, setActiveClassifier } from "../../../src/domain/learning/model.ts"
import { samplesOf } from "../../../src/domain/learning/samples.ts"
import { train } from "../../../src/domain/learning/train.ts"
import { measure } from "../../../src/domain/learning/training-report.ts"
import { assess } from "../../../src/domain/verification/verification.ts"

afterEach(() => setActiveClassifier(PRIOR_MODELS.catch_all))

describe("a classifier trained on a simulated world whose parameters it cannot read", () => {
  const current = PRIOR_MODELS.catch_all
  const world = new CatchAllWorld({ seed: 11, mailings: 8_000, accounts: 24, domains: 600 })
  const training = train(samplesOf(world.observe(), null), {
    ...{ kind: "catch_all", minSamples: 1_000, current, trusted: new Set<string>() },
  })
  const unseen = world.unseen(4_000)

  test("is calibrated on mailboxes that no account reported: error below 0.05, and better than the preset weights", () => {
    if (training.kind === "refused") throw new Error(training.reason)
    const judged = () =>
      measure(
        unseen.map(({ evidence, outcome, verifiedAt }) => ({
          ...{ outcome, weight: 1 },
          probability: assess(evidence, { cached: true, verifiedAt }).catchAll!.probability,
        })),
      )!
    const preset = judged()
    setActiveClassifier({ ...current, ...training.model, version: 1 })
    const trained = judged()
    expect(trained.calibrationError).toBeLessThan(0.05)
    expect(trained.calibrationError).toBeLessThan(preset.calibrationError)
    expect(trained.brier).toBeLessThan(preset.brier)
  })

  test("is not the preset weights: the same evidence has another score after the training", () => {
    if (training.kind === "refused") throw new Error(training.reason)
    const scores = () =>
      unseen.map(({ evidence, verifiedAt }) => assess(evidence, { cached: true, verifiedAt }).score.total)
    const before = scores()
    setActiveClassifier({ ...current, ...training.model, version: 1 })
    expect(scores()).not.toEqual(before)
  })
})
