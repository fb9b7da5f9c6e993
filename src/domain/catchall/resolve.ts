import { logit, sigmoid } from "../model/logistic.ts"
import type { Signal } from "./signals.ts"

export interface Resolution {
  readonly verdict: "likely_deliverable" | "uncertain" | "likely_undeliverable"
  /** That a mail to the address is read by somebody or something other than a sink. */
  readonly probability: number
  /** In which it lies, as far as the weights hold; wide while little speaks for or against. */
  readonly interval: { readonly low: number; readonly high: number }
  /** How the probability was made: by weights set beforehand, or by those a training fitted to outcomes. */
  readonly method: "prior weights" | "trained model"
  /** Of the model; 0 for weights set beforehand. */
  readonly modelVersion: number
  /** The probability before any signal. */
  readonly prior: number
}

/** Of addresses at accept-all domains that are mailed at all, some two thirds do not bounce. A belief, not a measurement. */
const PRIOR = 0.65
/** Half width of the interval without any signal, in log-odds: it then spans from a quarter to nine tenths. */
const DOUBT = 1.8
/** A signal of this strength counts fully against the doubt. */
const FULL_WEIGHT = 0.6
const LIKELY = { probability: 0.8, low: 0.5 } as const
const UNLIKELY = { probability: 0.25, high: 0.55 } as const
/** Nothing here is certain. */
const MAX_PROBABILITY = 0.99

/** Where the weights of signals come from, and the log-odds before any. */
export interface Weighing {
  readonly base: number
  readonly version: number
}

/** Weights set by hand. */
const BY_HAND: Weighing = { base: logit(PRIOR), version: 0 }

/** Adds up signals as independent log-odds over the prior (naive Bayes). More and stronger signals narrow the interval. */
export function resolve(signals: readonly Signal[], { base, version }: Weighing = BY_HAND): Resolution {
  const logOdds = signals.reduce((sum, { weight }) => sum + weight, base)
  const strength = signals.reduce((sum, { weight }) => sum + Math.min(1, Math.abs(weight) / FULL_WEIGHT), 0)
  const doubt = DOUBT / Math.sqrt(1 + strength)
  const probability = bounded(logOdds)
  const interval = { low: bounded(logOdds - doubt), high: bounded(logOdds + doubt) }
  const method = version === 0 ? "prior weights" : "trained model"
  const verdict = verdictOf(probability, interval)
  return { verdict, probability, interval, method, modelVersion: version, prior: bounded(base) }
}

function verdictOf(probability: number, { low, high }: Resolution["interval"]): Resolution["verdict"] {
  if (probability >= LIKELY.probability && low >= LIKELY.low) return "likely_deliverable"
  if (probability <= UNLIKELY.probability && high <= UNLIKELY.high) return "likely_undeliverable"
  return "uncertain"
}

function bounded(logOdds: number): number {
  return Math.round(Math.min(MAX_PROBABILITY, Math.max(1 - MAX_PROBABILITY, sigmoid(logOdds))) * 1_000) / 1_000
}
