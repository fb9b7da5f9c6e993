import type { ModelKind, TrainingRefusal } from "../../../schema/vocabulary.ts"
import {
  agreementOf,
  groupsOf,
  groupWeights,
  hasBothOutcomes,
  influenceOf,
  splitByTime,
  type TimeSplit,
  weightByGroup,
  withSampleWeights,
} from "./account-weights.ts"
import { calibrated, type FitPrior, fitLogistic } from "./logistic.ts"
import { coefficientsOf, type Model, PRIOR_MODELS, weightsOf } from "./model.ts"
import type { Sample } from "./samples.ts"
import { reportOn, type TrainingReport } from "./training-report.ts"

export interface TrainingOptions {
  readonly kind: ModelKind
  readonly minSamples: number
  /** The active model. A new model must not be worse. */
  readonly current: Model
  /** Accounts whose feedback is neither capped nor audited, such as the operator's own. */
  readonly trusted: ReadonlySet<string>
}

export type Training =
  | { readonly kind: "trained"; readonly model: Pick<Model, "bias" | "weights">; readonly report: TrainingReport }
  | { readonly kind: "refused"; readonly reason: TrainingRefusal; readonly report: TrainingReport | null }

/** Maximum score change of other accounts' addresses that one account may cause. */
export const MAX_INFLUENCE_POINTS = 3
/** Minimum of agreeing accounts. With fewer, the truth is undecidable and each account weighs too much. */
const MIN_ACCOUNTS = 10
const AGREES = 0.5
/** Prior strength of each weight, in observations. */
const PRIOR_STRENGTH = 4
/** Rounds of the agreement fit: false reports bias the first ones. */
const AGREEMENT_ROUNDS = 3
/** Rounds that reduce single accounts, and the extra reduction factor. */
const AUDIT_ROUNDS = 6
const CUT = 0.95
/** Smallest scale of all feedback against the prior, and the bisection steps to find the scale. */
const LEAST_SCALE = 1e-4
const SCALE_STEPS = 9

/**
 * Trains a model. Each account's weight is capped, reduced by its contradiction of all others, and reduced again until
 * leaving it out moves no score by more than MAX_INFLUENCE_POINTS. Refuses a model that is worse than the current one on
 * the latest samples, which are held out. Deterministic. @param samples in order of time
 */
export function train(samples: readonly Sample[], options: TrainingOptions): Training {
  const { kind, minSamples, current, trusted } = options
  if (samples.length < minSamples) return { kind: "refused", reason: "too_few_samples", report: null }
  const weights = weightByGroup(groupsOf(samples.map(({ accountId }) => accountId)), trusted)
  const parts = splitByTime(samples, weights)
  if (!hasBothOutcomes(parts.fit) || !hasBothOutcomes(parts.judged))
    return { kind: "refused", reason: "one_outcome_only", report: null }

  const anchor = { at: coefficientsOf(PRIOR_MODELS[kind]), strength: PRIOR_STRENGTH }
  const agreeing = weighByAgreement(parts, { anchor, trusted, weights })
  if (agreeing < MIN_ACCOUNTS && !samples.some(({ accountId }) => trusted.has(accountId)))
    return { kind: "refused", reason: "too_few_accounts", report: null }
  const audited = audit(parts, { anchor, trusted, weights })
  const report = reportOn({ samples, parts, ...audited, prior: PRIOR_MODELS[kind], current })
  const refuse = (reason: TrainingRefusal) => ({ kind: "refused", reason, report }) as const
  if (audited.largestInfluence > MAX_INFLUENCE_POINTS) return refuse("one_account_dominates")
  if (report.heldOut.logLoss > report.current.logLoss) return refuse("worse_than_current")
  return { kind: "trained", model: weightsOf(audited.coefficients), report }
}

type Weighing = Pick<TrainingOptions, "trusted"> & { readonly anchor: FitPrior; readonly weights: Map<string, number> }

/** Weights accounts by their agreement with the others. @returns the number of agreeing accounts */
function weighByAgreement(parts: TimeSplit, { anchor, trusted, weights }: Weighing): number {
  const before = new Map(weights)
  let agreeing = 0
  for (let round = 0; round < AGREEMENT_ROUNDS; round++) {
    const fitted = fitLogistic(parts.fit.data, anchor)
    const agreements = agreementOf(parts.fit, { anchor, fitted })
    for (const [group, agreement] of agreements)
      if (!trusted.has(group)) weights.set(group, before.get(group)! * agreement)
    withSampleWeights(parts, weights)
    agreeing = [...agreements.values()].filter((agreement) => agreement >= AGREES).length
  }
  return agreeing
}

/** Fits the model and reduces accounts with too much influence. If others then gain it, all feedback is scaled down. */
function audit(parts: TimeSplit, weighing: Weighing): Omit<ReturnType<typeof fitAndMeasure>, "influences"> {
  const { trusted, weights } = weighing
  for (let round = 0; ; round++) {
    const { influences, ...found } = fitAndMeasure(parts, weighing)
    if (found.largestInfluence <= MAX_INFLUENCE_POINTS) return found
    if (round === AUDIT_ROUNDS) break
    for (const [group, points] of influences)
      if (points > MAX_INFLUENCE_POINTS) weights.set(group, (weights.get(group)! * CUT * MAX_INFLUENCE_POINTS) / points)
    withSampleWeights(parts, weights)
  }
  const fitAt = (logScale: number) => {
    const scale = Math.exp(logScale)
    const scaled = [...weights].map(([group, own]) => [group, trusted.has(group) ? own : own * scale] as const)
    withSampleWeights(parts, new Map(scaled))
    return fitAndMeasure(parts, weighing)
  }
  let [low, high] = [Math.log(LEAST_SCALE), 0]
  for (let step = 0; step < SCALE_STEPS; step++) {
    const middle = (low + high) / 2
    if (fitAt(middle).largestInfluence > MAX_INFLUENCE_POINTS) high = middle
    else low = middle
  }
  return fitAt(low)
}

function fitAndMeasure(parts: TimeSplit, { anchor, trusted }: Weighing) {
  const fitted = fitLogistic(parts.fit.data, anchor)
  const coefficients = calibrated(fitted, parts.calibration.data)
  const influences = influenceOf(parts, { anchor, fitted, coefficients, trusted })
  const shares = [...groupWeights(parts.fit).values()]
  return {
    coefficients,
    influences,
    largestInfluence: Math.max(0, ...influences.values()),
    largestShare: Math.max(...shares) / shares.reduce((sum, weight) => sum + weight, 0),
  }
}
