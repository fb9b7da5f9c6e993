import { unscoredSnapshot } from "../feedback/snapshot.ts"
import { activeClassifier } from "../learning/active-classifier.ts"
import { type History, NO_HISTORY } from "../learning/features.ts"
import { predict } from "../learning/model.ts"
import { type Judged, judge } from "../verdict/judge.ts"
import { applyModel } from "./apply-model.ts"
import { type Resolution, resolve } from "./resolve.ts"
import { evidenceSignals, type Signal } from "./signals.ts"

/** How likely a mailbox exists, with the signals behind the probability. */
export interface Estimate {
  readonly signals: readonly Signal[]
  readonly resolution: Resolution
}

/** Knowledge in addition to the evidence. */
interface LookedUp {
  readonly signals: readonly Signal[]
  readonly history: History
}

const NOTHING: LookedUp = { signals: [], history: NO_HISTORY }

/**
 * Estimates by the active classifier how likely a mailbox exists. The estimate uses the server's replies, and never the
 * verdict for an account that reported a bounce.
 * @param lookedUp default: nothing. That estimate moves the score of an accept-all address at every endpoint
 * @returns null for a malformed address
 */
export function estimateMailbox(given: Judged, { signals: found, history }: LookedUp = NOTHING): Estimate | null {
  const { evidence, replies } = given
  const { address } = evidence
  if (!address.ok) return null
  const judged = { ...given, verdict: judge(evidence, replies) }
  const signals = [...evidenceSignals(judged, address), ...found]
  const model = activeClassifier()
  if (model.version === 0 || judged.verdict.isCatchAll !== true) return { signals, resolution: resolve(signals) }
  const byModel = applyModel(signals, predict(model, unscoredSnapshot(judged)!, history))
  return { signals: byModel.signals, resolution: resolve(byModel.signals, { ...byModel, version: model.version }) }
}
