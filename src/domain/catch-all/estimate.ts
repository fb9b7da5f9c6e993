import { unscoredSnapshot } from "../feedback/snapshot.ts"
import { activeClassifier } from "../learning/active-classifier.ts"
import { type History, NO_HISTORY } from "../learning/features.ts"
import { predict } from "../learning/model.ts"
import type { Judged } from "../verdict/judged.ts"
import { applyModel } from "./apply-model.ts"
import { type Resolution, resolve } from "./resolve.ts"
import { evidenceSignals, type Signal } from "./signals.ts"

/** How likely a mailbox exists, with the signals that say so. */
export interface Estimate {
  readonly signals: readonly Signal[]
  readonly resolution: Resolution
}

/** What was found beside the evidence. */
interface Beside {
  readonly signals: readonly Signal[]
  readonly history: History
}

const NOTHING: Beside = { signals: [], history: NO_HISTORY }

/**
 * Estimates by the active classifier how likely a mailbox exists. Without its second parameter it needs the evidence and
 * the address alone: that estimate moves the score of an accept-all address at every endpoint.
 * @returns null for a malformed address
 */
export function estimateMailbox(judged: Judged, { signals: found, history }: Beside = NOTHING): Estimate | null {
  const { address } = judged.evidence
  if (!address.ok) return null
  const signals = [...evidenceSignals(judged, address), ...found]
  const model = activeClassifier()
  if (model.version === 0 || judged.verdict.isCatchAll !== true) return { signals, resolution: resolve(signals) }
  const weighed = applyModel(signals, predict(model, unscoredSnapshot(judged)!, history))
  return { signals: weighed.signals, resolution: resolve(weighed.signals, { ...weighed, version: model.version }) }
}
