import { expect, test } from "vitest"
import { applyModel, resolve } from "../../../src/domain/learning/catch-all.ts"
import type { Signal } from "../../../src/domain/learning/catch-all-signals.ts"
import { sigmoid } from "../../../src/domain/learning/logistic.ts"

const signal = (signal: Signal["signal"], weight: number): Signal => ({ signal, observation: "seen", weight })
const prediction = {
  ...{ version: 3, probability: 0.5, bias: 0.4 },
  contributions: [
    { feature: "accept_all_realism", value: 1, logOdds: 1.2 },
    { feature: "realism", value: 1, logOdds: 0.3 },
    { feature: "accept_all_microsoft", value: 1, logOdds: -2 },
    { feature: "gravatar", value: 1, logOdds: 0.7 },
  ],
}

test("signals get the learned weights, and features without a signal add to the base", () => {
  const given = [signal("name_realism", 0.9), signal("web_presence", 0.2), signal("directory", 4.5)]
  const { signals, base } = applyModel(given, prediction)
  expect(signals.map(({ signal, weight }) => [signal, weight])).toEqual([
    ["name_realism", 1.5],
    ["web_presence", 0],
    ["directory", 4.5],
  ])
  expect(base).toBeCloseTo(0.4 - 2 + 0.7)
})

test("the resolution reports its method, and its weights add up", () => {
  const { signals, base } = applyModel([signal("name_realism", 0.9), signal("gravatar", 1.8)], prediction)
  const resolution = resolve(signals, base, prediction.version)
  expect(resolution).toMatchObject({
    method: "trained model",
    modelVersion: 3,
    prior: Number(sigmoid(-1.6).toFixed(3)),
  })
  expect(resolution.probability).toBeCloseTo(sigmoid(0.4 + 1.2 + 0.3 - 2 + 0.7), 2)
  expect(resolve(signals)).toMatchObject({ method: "prior weights", modelVersion: 0, prior: 0.65 })
})
