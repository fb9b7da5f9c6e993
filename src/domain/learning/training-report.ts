import { wilson } from "../wilson.ts"
import type { TimeSlice, TimeSplit } from "./account-weights.ts"
import { type Coefficients, logOddsAt, sigmoid } from "./logistic.ts"
import { coefficientsOf, type Model } from "./model.ts"
import type { Sample } from "./samples.ts"

export type TrainingReport = ReturnType<typeof reportOn>

/** Fewer samples show nothing, and might show whose they are. */
const MIN_SHOWN = 50
const BAND = 20

interface ReportInput {
  readonly samples: readonly Sample[]
  readonly parts: TimeSplit
  readonly coefficients: Coefficients
  readonly prior: Model
  readonly current: Model
  /** Weight share of the heaviest account. */
  readonly largestShare: number
  /** Largest score change of any address when one account is left out. */
  readonly largestInfluence: number
}

/** `heldOut`, `prior` and `current` measure the new, the prior and the active model on the held-out samples. */
export function reportOn(input: ReportInput) {
  const { samples, parts, coefficients, prior, current, largestInfluence, largestShare } = input
  const { judged } = parts
  const scored = score(coefficients, judged)
  const arrived = samples.filter(({ outcome }) => outcome === 1).length
  return {
    samples: samples.length,
    arrived,
    bounced: samples.length - arrived,
    accounts: new Set(samples.map(({ accountId }) => accountId)).size,
    largestInfluence,
    largestShare,
    heldOut: measure(scored)!,
    prior: measure(score(coefficientsOf(prior), judged))!,
    current: measure(score(coefficientsOf(current), judged))!,
    calibration: calibrationTable(scored),
    byOperator: byOperator(judged.samples, scored),
    byScore: byScore(samples),
  }
}

function score(coefficients: Coefficients, { data }: TimeSlice): Scored[] {
  return Array.from(data.outcomes, (outcome, row) => ({
    probability: sigmoid(logOddsAt(coefficients, data.values, row * data.width)),
    outcome,
    weight: data.weights[row]!,
  }))
}

const operatorOf = ({ operator }: Sample) => operator ?? "other"

function byOperator(samples: readonly Sample[], scored: readonly Scored[]) {
  const operators = Map.groupBy(scored.keys(), (at) => operatorOf(samples[at]!))
  return [...operators]
    .filter(([, rows]) => rows.length >= MIN_SHOWN)
    .map(([operator, rows]) => ({ operator, metrics: measure(rows.map((at) => scored[at]!))! }))
    .toSorted((a, b) => b.metrics.samples - a.metrics.samples)
}

/** Bounce rates by score band: of all operators (null), and of each. The last band includes a score of 100. */
function byScore(samples: readonly Sample[]) {
  const bandOf = ({ score }: Sample) => Math.min(100 - BAND, Math.floor(score / BAND) * BAND)
  const groups: [string | null, readonly Sample[]][] = [[null, samples], ...Map.groupBy(samples, operatorOf)]
  return groups.flatMap(([operator, own]) =>
    [...Map.groupBy(own, bandOf)]
      .filter(([, members]) => members.length >= MIN_SHOWN)
      .map(([from, members]) => {
        const bounced = members.filter(({ outcome }) => outcome === 0).length
        const counted = { samples: members.length, bounced, ...wilson(bounced, members.length) }
        return { operator, from, to: from + BAND, ...counted }
      })
      .toSorted((a, b) => a.from - b.from),
  )
}

export interface Scored {
  readonly probability: number
  /** 1: mail arrived; 0: it bounced. */
  readonly outcome: number
  readonly weight: number
}

export interface Metrics {
  readonly samples: number
  /** Share of samples whose mail arrived. */
  readonly baseRate: number
  /** Area under the ROC curve; null without both outcomes. */
  readonly auc: number | null
  readonly brier: number
  readonly logLoss: number
  /** Expected calibration error: mean distance between predicted and observed share, over the bins. */
  readonly calibrationError: number
}

const BINS = 10
/** Predictions are clamped to this distance from 0 and 1. */
const EDGE = 1e-6

/** Quality of predictions; null without any. */
export function measure(scored: readonly Scored[]): Metrics | null {
  const total = scored.reduce((sum, { weight }) => sum + weight, 0)
  if (total === 0) return null
  const mean = (value: (one: Scored) => number) => scored.reduce((sum, one) => sum + one.weight * value(one), 0) / total
  return {
    samples: scored.length,
    baseRate: mean(({ outcome }) => outcome),
    auc: areaUnderCurve(scored),
    brier: mean(({ probability, outcome }) => (probability - outcome) ** 2),
    logLoss: mean(({ probability, outcome }) => {
      const bounded = Math.min(1 - EDGE, Math.max(EDGE, probability))
      return -Math.log(outcome === 1 ? bounded : 1 - bounded)
    }),
    calibrationError: calibration(scored).reduce((sum, bin) => sum + (bin.share / total) * bin.distance, 0),
  }
}

/** Predicted and observed shares in ten bins of equal width. Omits empty bins. */
export function calibrationTable(scored: readonly Scored[]) {
  return calibration(scored).map(({ bin }) => bin)
}

/** The bins, with the weight and the error of each. `low` and `high` are the 95 % interval of the observed share. */
function calibration(scored: readonly Scored[]) {
  const bins = Array.from({ length: BINS }, () => [] as Scored[])
  for (const one of scored) bins[Math.min(BINS - 1, Math.floor(one.probability * BINS))]!.push(one)
  return bins.flatMap((members, index) => {
    const share = members.reduce((sum, { weight }) => sum + weight, 0)
    if (share === 0) return []
    const mean = (value: (one: Scored) => number) =>
      members.reduce((sum, one) => sum + one.weight * value(one), 0) / share
    const predicted = mean(({ probability }) => probability)
    const observed = mean(({ outcome }) => outcome)
    // The interval uses the effective sample size of the weights (Kish).
    const effective = share ** 2 / members.reduce((sum, { weight }) => sum + weight ** 2, 0)
    const interval = wilson(observed * effective, effective)
    const range = { from: index / BINS, to: (index + 1) / BINS }
    const bin = { ...range, samples: members.length, predicted, observed, ...interval }
    return [{ share, distance: Math.abs(predicted - observed), bin }]
  })
}

/** Probability that an arrived sample ranks above a bounced one (Mann-Whitney); ties count half. */
function areaUnderCurve(scored: readonly Scored[]): number | null {
  const sorted = scored.toSorted((a, b) => a.probability - b.probability)
  let [below, area, positive] = [0, 0, 0]
  for (let at = 0; at < sorted.length; ) {
    let [arrived, bounced, end] = [0, 0, at]
    while (end < sorted.length && sorted[end]!.probability === sorted[at]!.probability) {
      const { outcome, weight } = sorted[end++]!
      if (outcome === 1) arrived += weight
      else bounced += weight
    }
    area += arrived * (below + bounced / 2)
    below += bounced
    positive += arrived
    at = end
  }
  return positive === 0 || below === 0 ? null : area / (positive * below)
}
