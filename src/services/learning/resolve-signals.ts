import type { Context } from "../../context.ts"
import { applyModel } from "../../domain/catch-all/apply-model.ts"
import { resolve } from "../../domain/catch-all/resolve.ts"
import { type SignalInput, signalsOf } from "../../domain/catch-all/signals.ts"
import { snapshotOf } from "../../domain/feedback/snapshot.ts"
import { predict } from "../../domain/learning/model.ts"
import { neighborHistory } from "../../domain/learning/neighborhood.ts"

/** Resolves a mailbox's signals: by the trained classifier for catch-all domains, else by manual weights. */
export async function resolveSignals(ctx: Context, input: SignalInput) {
  const { verification, address, neighbors, reported } = input
  const signals = signalsOf(input)
  const model = await ctx.store.models.active("catch_all")
  const snapshot = snapshotOf(verification)
  if (model.version === 0 || !snapshot?.isCatchAll) return { signals, resolution: resolve(signals) }
  const around = (await ctx.store.observations.neighborhoods([address.domain])).get(address.domain)
  const others = neighborHistory(around, { pattern: snapshot.pattern, own: "known" })
  const history = { arrived: neighbors.received, bounced: neighbors.bounced, reported, ...others }
  const weighed = applyModel(signals, predict(model, snapshot, history))
  return { signals: weighed.signals, resolution: resolve(weighed.signals, { ...weighed, version: model.version }) }
}
