import { groupsOf } from "./account-weights.ts"
import { FEATURES, vectorOf } from "./features.ts"
import type { Dataset } from "./logistic.ts"
import type { Sample } from "./sample.ts"

/** A time range of the samples, with the weighting group of each. */
export interface TimeSlice {
  readonly data: Dataset
  readonly groups: readonly string[]
  readonly samples: readonly Sample[]
}

/** The samples of one training, split by time. */
export interface TimeSplit {
  readonly fit: TimeSlice
  readonly calibration: TimeSlice
  /** The latest samples, held out from fit and calibration. */
  readonly judged: TimeSlice
}

const FIT_SHARE = 0.7
const CALIBRATION_SHARE = 0.15
/** Minimum samples of each outcome. */
const MIN_OF_OUTCOME = 10

/** @param samples in order of time */
export function splitByTime(samples: readonly Sample[], weights: ReadonlyMap<string, number>): TimeSplit {
  const groups = groupsOf(samples.map(({ accountId }) => accountId))
  const first = Math.floor(samples.length * FIT_SHARE)
  const second = Math.floor(samples.length * (FIT_SHARE + CALIBRATION_SHARE))
  const part = (from: number, to?: number) => partOf(samples.slice(from, to), groups.slice(from, to), weights)
  return { fit: part(0, first), calibration: part(first, second), judged: part(second) }
}

function partOf(
  samples: readonly Sample[],
  groups: readonly string[],
  weights: ReadonlyMap<string, number>,
): TimeSlice {
  const width = FEATURES.length
  const values = new Float64Array(samples.length * width)
  for (const [at, sample] of samples.entries()) values.set(vectorOf(sample.values), at * width)
  const outcomes = Float64Array.from(samples, ({ outcome }) => outcome)
  const data = { values, width, outcomes, weights: Float64Array.from(groups, (group) => weights.get(group)!) }
  return { data, groups, samples }
}

/** Whether a part has enough samples of each outcome for training and evaluation. */
export function hasBothOutcomes({ data: { outcomes } }: TimeSlice): boolean {
  const arrived = outcomes.reduce((sum, outcome) => sum + outcome, 0)
  return Math.min(arrived, outcomes.length - arrived) >= MIN_OF_OUTCOME
}

/** Replaces the sample weights. */
export function withSampleWeights({ fit, calibration, judged }: TimeSplit, weights: ReadonlyMap<string, number>): void {
  for (const { data, groups } of [fit, calibration, judged])
    for (const [at, group] of groups.entries()) data.weights[at] = weights.get(group)!
}

/** Total weight of each group in a part. */
export function groupWeights({ data, groups }: TimeSlice): Map<string, number> {
  const totals = new Map<string, number>()
  for (const [at, group] of groups.entries()) totals.set(group, (totals.get(group) ?? 0) + data.weights[at]!)
  return totals
}

/** Rows of each group. */
export function groupRows({ groups }: TimeSlice): Map<string, number[]> {
  const rows = new Map<string, number[]>()
  for (const [at, group] of groups.entries()) {
    const own = rows.get(group)
    if (own) own.push(at)
    else rows.set(group, [at])
  }
  return rows
}
