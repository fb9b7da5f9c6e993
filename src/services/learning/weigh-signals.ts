import type { Deps } from "../../deps.ts"
import { applyModel } from "../../domain/catchall/apply-model.ts"
import { resolve } from "../../domain/catchall/resolve.ts"
import { type SignalInput, signalsOf } from "../../domain/catchall/signals.ts"
import { snapshotOf } from "../../domain/feedback/snapshot.ts"
import { predict } from "../../domain/model/model.ts"
import { neighbourHistory } from "../../domain/model/neighbourhood.ts"

export type WeighNeeds = Pick<Deps, "models" | "observations">

/**
 * Signals about a mailbox and what they come to: by the classifier where one has been trained and the domain accepts
 * everything, else by weights set by hand.
 */
export async function weighSignals({ models, observations }: WeighNeeds, input: SignalInput) {
  const { verification, address, neighbours, reported } = input
  const signals = signalsOf(input)
  const model = await models.active("catch_all")
  const snapshot = snapshotOf(verification)
  if (model.version === 0 || !snapshot?.isCatchAll) return { signals, resolution: resolve(signals) }
  const around = (await observations.neighbourhoods([address.domain])).get(address.domain)
  const others = neighbourHistory(around, { pattern: snapshot.pattern, own: "known" })
  const history = { arrived: neighbours.received, bounced: neighbours.bounced, reported, ...others }
  const weighed = applyModel(signals, predict(model, snapshot, history))
  return { signals: weighed.signals, resolution: resolve(weighed.signals, { ...weighed, version: model.version }) }
}
