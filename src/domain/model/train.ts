import type { ModelKind, TrainingRefusal } from "../../../schema/vocabulary.ts"
import { groupsOf, weightByGroup } from "./account-weights.ts"
import { agreementOf } from "./agreement.ts"
import { calibrated } from "./calibrate.ts"
import { influenceOf } from "./influence.ts"
import { type Anchor, type Coefficients, fitLogistic } from "./logistic.ts"
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
/** Of accounts that agree by and large. Among fewer there is no telling who is right, and each weighs too much. */
const MIN_ACCOUNTS = 10
const AGREES = 0.5
/** As many observations as the prior is worth, for each weight. */
const PRIOR_STRENGTH = 4
/** Fits by which it is found who agrees with whom: a liar bends the first ones himself. */
const AGREEMENT_ROUNDS = 3
/** Rounds in which accounts are cut one by one, and by how much more than their surplus. */
const AUDIT_ROUNDS = 6
const CUT = 0.95
/** How far the weight of all feedback may be brought down against the prior's, and in how many steps that is found. */
const LEAST_SCALE = 1e-4
const SCALE_STEPS = 9

/**
 * Trains a model. Each account's weight is capped, brought down as far as it contradicts all others, and cut further until
 * leaving the account out would move no score by more than MAX_INFLUENCE_POINTS. A model that is worse than the current one on the latest samples, which it has not seen,
 * is refused. Deterministic. @param samples in the order of time
 */
export function train(samples: readonly Sample[], options: TrainingOptions): Training {
  const { kind, minSamples, current, trusted } = options
  if (samples.length < minSamples) return { kind: "refused", reason: "too_few_samples", report: null }
  const weights = weightByGroup(groupsOf(samples.map(({ accountId }) => accountId)), trusted)
  const parts = cutByTime(samples, weights)
  if (!hasBothOutcomes(parts.fit) || !hasBothOutcomes(parts.judged))
    return { kind: "refused", reason: "one_outcome_only", report: null }

  const anchor = { at: coefficientsOf(PRIOR_MODELS[kind]), strength: PRIOR_STRENGTH }
  const agreeing = weighByAgreement(parts, { anchor, trusted, weights })
  if (agreeing < MIN_ACCOUNTS && !samples.some(({ accountId }) => trusted.has(accountId)))
    return { kind: "refused", reason: "too_few_accounts", report: null }
  const { coefficients, largestInfluence, largestShare } = audit(parts, { anchor, trusted, weights })
  const report = reportOn(
    { samples, parts, coefficients, prior: PRIOR_MODELS[kind], current },
    { largestInfluence, largestShare },
  )
  const refuse = (reason: TrainingRefusal) => ({ kind: "refused", reason, report }) as const
  if (largestInfluence > MAX_INFLUENCE_POINTS) return refuse("one_account_dominates")
  if (report.heldOut.logLoss > report.current.logLoss) return refuse("worse_than_current")
  return { kind: "trained", model: weightsOf(coefficients), report }
}

interface Audited {
  readonly coefficients: Coefficients
  readonly largestShare: number
  readonly largestInfluence: number
}

type Weighing = Pick<TrainingOptions, "trusted"> & { readonly anchor: Anchor; readonly weights: Map<string, number> }

/** Weighs accounts by how far they agree with the others. @returns how many do by and large */
function weighByAgreement(parts: Parts, { anchor, trusted, weights }: Weighing): number {
  const before = new Map(weights)
  let agreeing = 0
  for (let round = 0; round < AGREEMENT_ROUNDS; round++) {
    const fitted = fitLogistic(parts.fit.data, anchor)
    const agreements = agreementOf(parts.fit, { anchor, fitted })
    for (const [group, agreement] of agreements)
      if (!trusted.has(group)) weights.set(group, before.get(group)! * agreement)
    reweigh(parts, weights)
    agreeing = [...agreements.values()].filter((agreement) => agreement >= AGREES).length
  }
  return agreeing
}

/**
 * Fits, and cuts the weight of accounts whose absence would move scores too far. Where that makes others the loudest, because
 * there are few, all feedback is given less weight against the prior, but no less than it takes.
 */
function audit(parts: Parts, weighing: Weighing): Audited {
  const { trusted, weights } = weighing
  for (let round = 0; ; round++) {
    const { influences, ...found } = fitAndLook(parts, weighing)
    if (found.largestInfluence <= MAX_INFLUENCE_POINTS) return found
    if (round === AUDIT_ROUNDS) break
    for (const [group, points] of influences)
      if (points > MAX_INFLUENCE_POINTS) weights.set(group, (weights.get(group)! * CUT * MAX_INFLUENCE_POINTS) / points)
    reweigh(parts, weights)
  }
  const fitAt = (logScale: number) => {
    const scale = Math.exp(logScale)
    reweigh(parts, new Map([...weights].map(([group, own]) => [group, trusted.has(group) ? own : own * scale])))
    return fitAndLook(parts, weighing)
  }
  let [low, high] = [Math.log(LEAST_SCALE), 0]
  for (let step = 0; step < SCALE_STEPS; step++) {
    const middle = (low + high) / 2
    if (fitAt(middle).largestInfluence > MAX_INFLUENCE_POINTS) high = middle
    else low = middle
  }
  return fitAt(low)
}

function fitAndLook(parts: Parts, { anchor, trusted }: Weighing): Audited & { influences: Map<string, number> } {
  const fitted = fitLogistic(parts.fit.data, anchor)
  const coefficients = calibrated(fitted, parts.calibration.data)
  const influences = influenceOf(parts, { anchor, fitted, coefficients, trusted })
  const largestInfluence = Math.max(0, ...influences.values())
  return { coefficients, influences, largestInfluence, largestShare: shareOfLargest(parts) }
}

function shareOfLargest({ fit }: Parts): number {
  const all = [...groupWeights(fit).values()]
  return Math.max(...all) / all.reduce((sum, weight) => sum + weight, 0)
}
