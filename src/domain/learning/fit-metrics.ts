import { wilson } from "../finder/wilson.ts"

/** One prediction and its outcome. */
export interface Scored {
  readonly probability: number
  /** 1: mail arrived; 0: it bounced. */
  readonly outcome: number
  readonly weight: number
}

export interface CalibrationBin {
  /** Range of predicted probability. */
  readonly from: number
  readonly to: number
  readonly samples: number
  /** Weighted means of the bin. */
  readonly predicted: number
  readonly observed: number
  /** Wilson interval of `observed`, 95 %. */
  readonly low: number
  readonly high: number
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
export function calibrationTable(scored: readonly Scored[]): CalibrationBin[] {
  return calibration(scored).map(({ bin }) => bin)
}

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
    const { low, high } = wilson(observed * effective, effective)
    const bin: CalibrationBin = {
      from: index / BINS,
      to: (index + 1) / BINS,
      samples: members.length,
      ...{ predicted, observed, low, high },
    }
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
