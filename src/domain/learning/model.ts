import type { ModelKind } from "../../../schema/vocabulary.ts"
import type { UnscoredSnapshot } from "../feedback/snapshot.ts"
import type { Contribution, Prediction } from "../verdict/prediction.ts"
import { FEATURES, type Feature, type FeatureValues, featuresOf, type History } from "./features.ts"
import { type Coefficients, sigmoid } from "./logistic.ts"

/** A stored model: log-odds that mail to an address arrives. */
export interface Model {
  readonly kind: ModelKind
  /** 0 is the prior; trained versions start at 1. */
  readonly version: number
  readonly bias: number
  /** Weights by feature; a missing feature has weight 0. */
  readonly weights: Readonly<Partial<Record<Feature, number>>>
  /** Unix milliseconds; null for the prior. */
  readonly trainedAt: number | null
}

/** Limit of the log-odds, so that no prediction is certain. */
const MAX_LOG_ODDS = 7

/** Predicts from a verification's evidence. */
export function predict(model: Model, snapshot: UnscoredSnapshot, history: History): Prediction {
  return predictFrom(model, featuresOf(snapshot, history))
}

export function predictFrom({ version, bias, weights }: Model, values: FeatureValues): Prediction {
  const contributions: Contribution[] = []
  let sum = bias
  for (const feature of FEATURES) {
    const value = values[feature] ?? 0
    const logOdds = value * (weights[feature] ?? 0)
    if (logOdds === 0) continue
    sum += logOdds
    contributions.push({ feature, value, logOdds })
  }
  contributions.sort((a, b) => Math.abs(b.logOdds) - Math.abs(a.logOdds))
  return { version, probability: sigmoid(Math.max(-MAX_LOG_ODDS, Math.min(MAX_LOG_ODDS, sum))), bias, contributions }
}

/** The weights in the order of FEATURES. */
export function coefficientsOf({ bias, weights }: Pick<Model, "bias" | "weights">): Coefficients {
  return { bias, weights: Float64Array.from(FEATURES, (name) => weights[name] ?? 0) }
}

/** Rounds the weights, so that the same training gives the same text on every machine. */
export function weightsOf({ bias, weights }: Coefficients): Pick<Model, "bias" | "weights"> {
  const entries = FEATURES.map((name, at) => [name, rounded(weights[at]!)] as const)
  return { bias: rounded(bias), weights: Object.fromEntries(entries.filter(([, weight]) => weight !== 0)) }
}

function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
