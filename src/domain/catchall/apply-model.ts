import type { Prediction } from "../verdict/prediction.ts"
import type { Signal } from "./signals.ts"

/** The signals that features of the model stand for. What is not here counts before any signal. */
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

/**
 * Signals with the weights a trained model gives them, and the log-odds before any. What the model knows nothing of (the
 * wording of replies, a directory, breaches) keeps the weight it was given by hand.
 */
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
  const weighed = signals.map((one) =>
    LEARNED.has(one.signal) ? { ...one, weight: Math.round((learned.get(one.signal) ?? 0) * 100) / 100 } : one,
  )
  return { signals: weighed, base }
}
