import { type Judged, judge } from "../verification/judge.ts"
import { evidenceSignals, type Signal } from "./catch-all-signals.ts"
import { type History, NO_HISTORY, unscoredSnapshot } from "./features.ts"
import { logit, sigmoid } from "./logistic.ts"
import { activeClassifier, type Prediction, predict } from "./model.ts"

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

/** Adds the signals to the prior as independent log-odds (naive Bayes). @param version of the model; 0: manual */
export function resolve(signals: readonly Signal[], base = logit(PRIOR), version = 0): Resolution {
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

/** How likely a mailbox exists, with the signals behind the probability. */
export interface Estimate {
  readonly signals: readonly Signal[]
  readonly resolution: Resolution
}

/** Estimates how likely a mailbox exists, by the server's replies and never by the account's bounces. */
export function estimateMailbox(
  original: Judged,
  found: Pick<Estimate, "signals"> & { readonly history: History } = { signals: [], history: NO_HISTORY },
): Estimate | null {
  const { evidence, replies } = original
  const { address } = evidence
  if (!address.ok) return null
  const judged = { ...original, verdict: judge(evidence, replies) }
  const signals = [...evidenceSignals(judged, address), ...found.signals]
  const model = activeClassifier()
  if (model.version === 0 || judged.verdict.isCatchAll !== true) return { signals, resolution: resolve(signals) }
  const byModel = applyModel(signals, predict(model, unscoredSnapshot(judged)!, found.history))
  return { signals: byModel.signals, resolution: resolve(byModel.signals, byModel.base, model.version) }
}

/** The signal of each model feature. Other features add to the base. */
const SIGNAL_OF: Readonly<Record<string, Signal["signal"]>> = {
  realism: "name_realism",
  accept_all_realism: "name_realism",
  digits: "name_realism",
  long_name: "name_realism",
  role_account: "role_account",
  domain_format: "domain_format",
  neighbours_missing: "neighbours",
  domain_history: "neighbours",
  address_arrived: "feedback",
  address_bounced: "feedback",
  gravatar: "gravatar",
  parked: "web_presence",
  no_web_site: "web_presence",
  young_domain: "domain_age",
}
const LEARNED: ReadonlySet<Signal["signal"]> = new Set(Object.values(SIGNAL_OF))

/** Replaces the weights by a trained model's. @returns the signals, and the log-odds before any signal */
export function applyModel(
  signals: readonly Signal[],
  { bias, contributions }: Prediction,
): { signals: Signal[]; base: number } {
  const shown = new Set(signals.map(({ signal }) => signal))
  const learned = new Map<Signal["signal"], number>()
  let base = bias
  for (const { feature, logOdds } of contributions) {
    const signal = SIGNAL_OF[feature]
    if (signal && shown.has(signal)) learned.set(signal, (learned.get(signal) ?? 0) + logOdds)
    else base += logOdds
  }
  const scored = signals.map((entry) =>
    LEARNED.has(entry.signal) ? { ...entry, weight: Math.round((learned.get(entry.signal) ?? 0) * 100) / 100 } : entry,
  )
  return { signals: scored, base }
}
