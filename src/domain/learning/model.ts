import type { ModelKind } from "../../../schema/vocabulary.ts"
import {
  FEATURES,
  type Feature,
  type FeatureValues,
  featuresOf,
  type History,
  type UnscoredSnapshot,
} from "./features.ts"
import { type Coefficients, logit, sigmoid } from "./logistic.ts"

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

export function predict(model: Model, snapshot: UnscoredSnapshot, history: History): Prediction {
  return predictFrom(model, featuresOf(snapshot, history))
}

/** The model's prediction for a verification. */
export type Prediction = ReturnType<typeof predictFrom>

/** `bias` and `logOdds` are natural log-odds. The strongest contributions come first. */
export function predictFrom({ version, bias, weights }: Model, values: FeatureValues) {
  const contributions: { readonly feature: string; readonly value: number; readonly logOdds: number }[] = []
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

/** Weights set by hand, in natural log-odds: expert estimates, not measurements. */
const DELIVERABILITY: Model = {
  kind: "deliverability",
  version: 0,
  trainedAt: null,
  bias: logit(0.65),
  weights: {
    verified: 2.6,
    verified_unsure: 1.2,
    refused: -5,
    no_mail_host: -1.5,
    unanswered: -0.3,
    held_up: 0.6,
    mailbox_full: -1.5,
    refuses_us: 0.2,
    unreachable: -1.2,
    realism: 0.4,
    accept_all_realism: 0.8,
    role_account: 0.4,
    digits: -0.2,
    long_name: -0.3,
    domain_format: 0.9,
    disposable: -0.3,
    free_provider: 0.2,
    young_domain: -0.8,
    parked: -2.5,
    no_web_site: -0.4,
    spf: 0.3,
    dmarc: 0.3,
    gravatar: 1.8,
    neighbours_missing: -0.8,
    domain_history: 0.8,
    address_arrived: 4.5,
    address_bounced: -5,
  },
}

export const PRIOR_MODELS: Readonly<Record<ModelKind, Model>> = {
  deliverability: DELIVERABILITY,
  // At accept-all domains, only the name and the neighbors are known.
  catch_all: {
    ...DELIVERABILITY,
    kind: "catch_all",
    weights: { ...DELIVERABILITY.weights, realism: 1.2, accept_all_realism: 0 },
  },
}

/** Shared by all callers, because every verdict about a catch-all domain depends on it. */
let current: Model = PRIOR_MODELS.catch_all

/** Returns the classifier that scores mailboxes of catch-all domains now: the prior until another one is set. */
export function activeClassifier(): Model {
  return current
}

export function setActiveClassifier(model: Model): void {
  current = model
}
