import type { ModelKind, TrainingRefusal } from "../../../schema/vocabulary.ts"
import { groupsOf, weightByGroup } from "./account-weights.ts"
import { calibrated } from "./calibrate.ts"
import { influenceOf } from "./influence.ts"
import { type Coefficients, fitLogistic } from "./logistic.ts"
import { coefficientsOf, type Model, weightsOf } from "./model.ts"
import { cutByTime, groupWeights, hasBothOutcomes, type Parts, reweigh } from "./parts.ts"
import { PRIOR_MODELS } from "./prior.ts"
import type { Sample } from "./sample.ts"
import { reportOn, type TrainingReport } from "./training-report.ts"

export interface TrainingOptions {
  readonly kind: ModelKind
  readonly minSamples: number
  /** The model in use, which a new one must not be worse than. */
  readonly current: Model
  /** Accounts whose feedback is neither capped nor audited: the operator's own. */
  readonly trusted: ReadonlySet<string>
}

export type Training =
  | { readonly kind: "trained"; readonly model: Pick<Model, "bias" | "weights">; readonly report: TrainingReport }
  | { readonly kind: "refused"; readonly reason: TrainingRefusal; readonly report: TrainingReport | null }

/** Points of the score that one account may move others' addresses by. */
export const MAX_INFLUENCE_POINTS = 3
/** As many observations as the prior is worth, for each weight. */
const PRIOR_STRENGTH = 4
const AUDIT_ROUNDS = 12
/** Cutting weight moves the rest closer together; a little more than needed saves rounds. */
const CUT = 0.8

/**
 * Trains a model. Each account's weight is capped, and cut further until leaving the account out would move no score by
 * more than MAX_INFLUENCE_POINTS. A model that is worse than the current one on the latest samples, which it has not seen,
 * is refused. Deterministic. @param samples in the order of time
 */
export function train(samples: readonly Sample[], options: TrainingOptions): Training {
  const { kind, minSamples, current, trusted } = options
  if (samples.length < minSamples) return { kind: "refused", reason: "too_few_samples", report: null }
  const weights = weightByGroup(groupsOf(samples.map(({ accountId }) => accountId)), trusted)
  const parts = cutByTime(samples, weights)
  if (!hasBothOutcomes(parts.fit) || !hasBothOutcomes(parts.judged))
    return { kind: "refused", reason: "one_outcome_only", report: null }

  const { coefficients, ...audited } = audit(parts, { kind, trusted, weights })
  const report = reportOn({ samples, parts, coefficients, prior: PRIOR_MODELS[kind], current }, audited)
  const refuse = (reason: TrainingRefusal) => ({ kind: "refused", reason, report }) as const
  if (audited.largestInfluence > MAX_INFLUENCE_POINTS) return refuse("one_account_dominates")
  if (report.heldOut.logLoss > report.current.logLoss) return refuse("worse_than_current")
  return { kind: "trained", model: weightsOf(coefficients), report }
}

interface Audited {
  readonly coefficients: Coefficients
  readonly largestShare: number
  readonly largestInfluence: number
}

/** Fits, and cuts the weight of accounts whose absence would move scores too far, until there is none. */
function audit(
  parts: Parts,
  { kind, trusted, weights }: Pick<TrainingOptions, "kind" | "trusted"> & { weights: Map<string, number> },
): Audited {
  const anchor = { at: coefficientsOf(PRIOR_MODELS[kind]), strength: PRIOR_STRENGTH }
  for (let round = 1; ; round++) {
    const fitted = fitLogistic(parts.fit.data, anchor)
    const coefficients = calibrated(fitted, parts.calibration.data)
    const influences = influenceOf(parts, { anchor, fitted, coefficients, trusted })
    const largestInfluence = Math.max(0, ...influences.values())
    if (largestInfluence <= MAX_INFLUENCE_POINTS || round === AUDIT_ROUNDS)
      return { coefficients, largestInfluence, largestShare: largestShare(parts) }
    for (const [group, points] of influences)
      if (points > MAX_INFLUENCE_POINTS) weights.set(group, (weights.get(group)! * CUT * MAX_INFLUENCE_POINTS) / points)
    reweigh(parts, weights)
  }
}

function largestShare({ fit }: Parts): number {
  const all = [...groupWeights(fit).values()]
  return Math.max(...all) / all.reduce((sum, weight) => sum + weight, 0)
}
