import type { Prediction } from "../verdict/prediction.ts"
import type { Signal } from "./signals.ts"

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

/**
 * Replaces the signals' weights by those of a trained model. Signals without a model feature (reply wording, directory,
 * breaches) keep their manual weight.
 * @returns the signals, and the log-odds before any signal
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
  const scored = signals.map((entry) =>
    LEARNED.has(entry.signal) ? { ...entry, weight: Math.round((learned.get(entry.signal) ?? 0) * 100) / 100 } : entry,
  )
  return { signals: scored, base }
}
