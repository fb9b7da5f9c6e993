import type { Signal } from "./signals.ts"

export interface Resolution {
  readonly verdict: "likely_deliverable" | "uncertain" | "likely_undeliverable"
  /** That a mail to the address is read by somebody or something other than a sink. */
  readonly probability: number
  /** In which it lies, as far as the weights hold; wide while little speaks for or against. */
  readonly interval: { readonly low: number; readonly high: number }
  /** How the probability was made: weights set beforehand, not yet fitted to outcomes. */
  readonly method: "prior weights"
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

/** Adds up signals as independent log-odds over the prior (naive Bayes). More and stronger signals narrow the interval. */
export function resolve(signals: readonly Signal[]): Resolution {
  const logOdds = signals.reduce((sum, { weight }) => sum + weight, logit(PRIOR))
  const strength = signals.reduce((sum, { weight }) => sum + Math.min(1, Math.abs(weight) / FULL_WEIGHT), 0)
  const doubt = DOUBT / Math.sqrt(1 + strength)
  const probability = bounded(logOdds)
  const interval = { low: bounded(logOdds - doubt), high: bounded(logOdds + doubt) }
  return { verdict: verdictOf(probability, interval), probability, interval, method: "prior weights", prior: PRIOR }
}

function verdictOf(probability: number, { low, high }: Resolution["interval"]): Resolution["verdict"] {
  if (probability >= LIKELY.probability && low >= LIKELY.low) return "likely_deliverable"
  if (probability <= UNLIKELY.probability && high <= UNLIKELY.high) return "likely_undeliverable"
  return "uncertain"
}

function logit(probability: number): number {
  return Math.log(probability / (1 - probability))
}

function bounded(logOdds: number): number {
  const probability = 1 / (1 + Math.exp(-logOdds))
  return Math.round(Math.min(MAX_PROBABILITY, Math.max(1 - MAX_PROBABILITY, probability)) * 1_000) / 1_000
}
