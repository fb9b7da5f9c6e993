import { logit, sigmoid } from "../learning/logistic.ts"
import type { Signal } from "./signals.ts"

export interface Resolution {
  readonly verdict: "likely_deliverable" | "uncertain" | "likely_undeliverable"
  /** Probability that a person or a system other than a sink reads mail to the address. */
  readonly probability: number
  /** Interval of the probability, assuming correct weights. Wide with few or weak signals. */
  readonly interval: { readonly low: number; readonly high: number }
  /** The origin of the weights: set manually, or fitted to outcomes by training. */
  readonly method: "prior weights" | "trained model"
  /** Version of the model. 0 for manual weights. */
  readonly modelVersion: number
  /** The probability before any signal. */
  readonly prior: number
}

/** Share of mailed addresses at accept-all domains that do not bounce, about two thirds. An estimate, not measured. */
const PRIOR = 0.65
/** Half width of the interval without any signal, in log-odds: from about a quarter to nine tenths. */
const UNCERTAINTY = 1.8
/** A signal with at least this weight reduces the uncertainty fully. */
const FULL_WEIGHT = 0.6
/** From this probability on, an accept-all mailbox is likely, and its score allows sending. */
export const SENDABLE_PROBABILITY = 0.7
const UNLIKELY = { probability: 0.25, high: 0.55 } as const
/** Upper bound, because no result is certain. */
const MAX_PROBABILITY = 0.99

/** The model version of the weights, and the log-odds before any signal. */
export interface SignalWeights {
  readonly base: number
  readonly version: number
}

/** Manual weights. */
const MANUAL: SignalWeights = { base: logit(PRIOR), version: 0 }

/** Adds the signals as independent log-odds to the prior (naive Bayes). More and stronger signals narrow the interval. */
export function resolve(signals: readonly Signal[], { base, version }: SignalWeights = MANUAL): Resolution {
  const logOdds = signals.reduce((sum, { weight }) => sum + weight, base)
  const strength = signals.reduce((sum, { weight }) => sum + Math.min(1, Math.abs(weight) / FULL_WEIGHT), 0)
  const halfWidth = UNCERTAINTY / Math.sqrt(1 + strength)
  const probability = bounded(logOdds)
  const interval = { low: bounded(logOdds - halfWidth), high: bounded(logOdds + halfWidth) }
  const method = version === 0 ? "prior weights" : "trained model"
  const verdict = verdictOf(probability, interval)
  return { verdict, probability, interval, method, modelVersion: version, prior: bounded(base) }
}

function verdictOf(probability: number, { high }: Resolution["interval"]): Resolution["verdict"] {
  if (probability >= SENDABLE_PROBABILITY) return "likely_deliverable"
  if (probability <= UNLIKELY.probability && high <= UNLIKELY.high) return "likely_undeliverable"
  return "uncertain"
}

function bounded(logOdds: number): number {
  return Math.round(Math.min(MAX_PROBABILITY, Math.max(1 - MAX_PROBABILITY, sigmoid(logOdds))) * 1_000) / 1_000
}
