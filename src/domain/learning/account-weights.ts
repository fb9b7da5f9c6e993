import { POINTS_PER_PROBABILITY } from "../verification/score.ts"
import { FEATURES, vectorOf } from "./features.ts"
import {
  addPrior,
  type Coefficients,
  calibrated,
  type Dataset,
  type Derivatives,
  derivativesOf,
  type FitPrior,
  fitLogistic,
  joined,
  logOddsAt,
  sigmoid,
  solveSymmetric,
  split,
} from "./logistic.ts"
import type { Sample } from "./samples.ts"

/** Maximum share of one account in the total sample weight. */
export const MAX_ACCOUNT_SHARE = 0.1
/** With few accounts the limit is higher: this multiple of an equal share. */
const OVER_EQUAL_PART = 1.5
/** Accounts with fewer samples form one group: many small accounts may belong to one person. */
const MIN_ACCOUNT_SAMPLES = 20
const SMALL = "(small accounts)"
const UNPROVEN = "(unproven accounts)"
const ROUNDS = 60

/** Joins unproven accounts into one group, because free keys are unlimited. @param known proven or trusted accounts */
export function groupUnverifiedAccounts<S extends { readonly accountId: string }>(
  samples: readonly S[],
  known: ReadonlySet<string>,
): S[] {
  return samples.map((sample) => (known.has(sample.accountId) ? sample : { ...sample, accountId: UNPROVEN }))
}

/** The weighting group of each sample. */
export function groupsOf(accounts: readonly string[]): string[] {
  const members = Map.groupBy(accounts, (account) => account)
  return accounts.map((account) => (members.get(account)!.length < MIN_ACCOUNT_SAMPLES ? SMALL : account))
}

/** Weight of a sample by group, so that no group exceeds its share. @param trusted accounts that keep weight 1 */
export function weightByGroup(groups: readonly string[], trusted: ReadonlySet<string>): Map<string, number> {
  const counts = new Map([...Map.groupBy(groups, (group) => group)].map(([group, { length }]) => [group, length]))
  const fewAccountsShare = trusted.size > 0 ? 0 : Math.min(1, OVER_EQUAL_PART / counts.size)
  const share = Math.max(MAX_ACCOUNT_SHARE, fewAccountsShare)
  let limit = groups.length
  for (let round = 0; round < ROUNDS; round++) {
    const total = [...counts].reduce((sum, [group, n]) => sum + (trusted.has(group) ? n : Math.min(n, limit)), 0)
    limit = share * total
  }
  return new Map([...counts].map(([group, n]) => [group, trusted.has(group) ? 1 : Math.min(1, limit / n)]))
}

/** The samples of one training, split by time. The latest ones, `judged`, are held out from fit and calibration. */
export type TimeSplit = ReturnType<typeof splitByTime>
/** A time range of the samples, with the weighting group of each. */
export type TimeSlice = TimeSplit["fit"]

const FIT_SHARE = 0.7
const CALIBRATION_SHARE = 0.15
/** Minimum samples of each outcome. */
const MIN_OF_OUTCOME = 10

/** @param samples in order of time */
export function splitByTime(samples: readonly Sample[], weights: ReadonlyMap<string, number>) {
  const groups = groupsOf(samples.map(({ accountId }) => accountId))
  const first = Math.floor(samples.length * FIT_SHARE)
  const second = Math.floor(samples.length * (FIT_SHARE + CALIBRATION_SHARE))
  const part = (from: number, to?: number) => partOf(samples.slice(from, to), groups.slice(from, to), weights)
  return { fit: part(0, first), calibration: part(first, second), judged: part(second) }
}

function partOf(samples: readonly Sample[], groups: readonly string[], weights: ReadonlyMap<string, number>) {
  const width = FEATURES.length
  const values = new Float64Array(samples.length * width)
  for (const [at, sample] of samples.entries()) values.set(vectorOf(sample.values), at * width)
  const outcomes = Float64Array.from(samples, ({ outcome }) => outcome)
  const data: Dataset = { values, width, outcomes, weights: Float64Array.from(groups, (group) => weights.get(group)!) }
  return { data, groups, samples }
}

/** Whether a part has enough samples of each outcome for training and evaluation. */
export function hasBothOutcomes({ data: { outcomes } }: TimeSlice): boolean {
  const arrived = outcomes.reduce((sum, outcome) => sum + outcome, 0)
  return Math.min(arrived, outcomes.length - arrived) >= MIN_OF_OUTCOME
}

export function withSampleWeights({ fit, calibration, judged }: TimeSplit, weights: ReadonlyMap<string, number>): void {
  for (const { data, groups } of [fit, calibration, judged])
    for (const [at, group] of groups.entries()) data.weights[at] = weights.get(group)!
}

export function groupWeights({ data, groups }: TimeSlice): Map<string, number> {
  const totals = new Map<string, number>()
  for (const [at, group] of groups.entries()) totals.set(group, (totals.get(group) ?? 0) + data.weights[at]!)
  return totals
}

function groupRows({ groups }: TimeSlice): Map<string, number[]> {
  return Map.groupBy(groups.keys(), (at) => groups[at]!)
}

/** Tolerated excess log-loss per sample, in nats, in addition to chance: senders differ. */
const TOLERATED = 0.05
/** Standard errors that count as chance. */
const CHANCE = 2

/** Agreement of each group with all others, 1 to 0: its excess log-loss under the model that is fitted without it. */
export function agreementOf(
  part: TimeSlice,
  options: { readonly anchor: FitPrior; readonly fitted: Coefficients },
): Map<string, number> {
  const rows = groupRows(part)
  return new Map(
    [...fitsWithout(part, options)].map(([group, others]) => {
      const { surplus, error } = surplusOf(part, others, rows.get(group)!)
      const tolerated = TOLERATED + CHANCE * error
      return [group, surplus <= tolerated ? 1 : (tolerated / surplus) ** 2]
    }),
  )
}

function surplusOf({ data }: TimeSlice, model: Coefficients, rows: readonly number[]) {
  let [sum, squares] = [0, 0]
  for (const row of rows) {
    const logOdds = logOddsAt(model, data.values, row * data.width)
    const probability = sigmoid(logOdds)
    // Log-loss minus entropy is linear in the outcome.
    const surplus = (probability - data.outcomes[row]!) * logOdds
    sum += surplus
    squares += surplus ** 2
  }
  const surplus = sum / rows.length
  return { surplus, error: Math.sqrt(Math.max(0, squares / rows.length - surplus ** 2) / rows.length) }
}

interface Fitted {
  readonly anchor: FitPrior
  readonly fitted: Coefficients
  /** The calibrated coefficients. */
  readonly coefficients: Coefficients
  /** Groups excluded from the check. */
  readonly trusted: ReadonlySet<string>
}

/** Maximum evaluations (groups times addresses). Beyond it, addresses are sampled at a fixed stride. */
const MAX_EVALUATIONS = 4_000_000

/** For each group, the largest score change of any address, its own included, when its samples are left out. */
export function influenceOf(parts: TimeSplit, { anchor, fitted, coefficients, trusted }: Fitted): Map<string, number> {
  const left = fitsWithout(parts.fit, { anchor, fitted })
  const inCalibration = groupRows(parts.calibration)
  const groups = [...new Set([...left.keys(), ...inCalibration.keys()])].filter((group) => !trusted.has(group))
  return new Map(
    groups.map((group) => {
      const calibration = withoutRows(parts.calibration.data, inCalibration.get(group) ?? [])
      const moved = calibrated(left.get(group) ?? fitted, calibration)
      return [group, largestMove(parts, { coefficients, moved, groups: groups.length })]
    }),
  )
}

function largestMove(
  { fit, calibration, judged }: TimeSplit,
  { coefficients, moved, groups }: { coefficients: Coefficients; moved: Coefficients; groups: number },
): number {
  const total = fit.groups.length + calibration.groups.length + judged.groups.length
  const stride = Math.max(1, Math.ceil((total * groups) / MAX_EVALUATIONS))
  let largest = 0
  for (const { data, groups: names } of [fit, calibration, judged])
    for (let row = 0; row < names.length; row += stride) {
      const at = row * data.width
      const before = sigmoid(logOddsAt(coefficients, data.values, at))
      largest = Math.max(largest, Math.abs(before - sigmoid(logOddsAt(moved, data.values, at))))
    }
  return largest * POINTS_PER_PROBABILITY
}

/** From this share of the weight a single Newton step is too inaccurate, and the model is fitted again. */
const REFIT_SHARE = 0.15

/** The fit without each group: of a small one by a Newton step from the full fit, of a large one by a new fit. */
function fitsWithout(
  part: TimeSlice,
  { anchor, fitted }: { anchor: FitPrior; fitted: Coefficients },
): Map<string, Coefficients> {
  const { data } = part
  const whole = derivativesOf(data, fitted)
  addPrior(whole, { current: joined(fitted), at: joined(anchor.at), strength: anchor.strength })
  const totals = groupWeights(part)
  const all = [...totals.values()].reduce((sum, weight) => sum + weight, 0)
  const entries = [...groupRows(part)].map(([group, rows]) => {
    const isLarge = totals.get(group)! / all > REFIT_SHARE
    const left = isLarge ? fitLogistic(withoutRows(data, rows), anchor) : step(data, { from: fitted, whole, rows })
    return [group, left] as const
  })
  return new Map(entries)
}

function step(
  data: Dataset,
  { from, whole, rows }: { from: Coefficients; whole: Derivatives; rows: readonly number[] },
): Coefficients {
  const own = derivativesOf(data, from, rows)
  const gradient = whole.gradient.map((value, at) => value - own.gradient[at]!)
  const curvature = whole.curvature.map((value, at) => value - own.curvature[at]!)
  const change = solveSymmetric(curvature, gradient, gradient.length)
  return split(joined(from).map((value, at) => value + change[at]!))
}

/** The data with weight 0 for some rows. */
function withoutRows(data: Dataset, rows: readonly number[]): Dataset {
  const weights = data.weights.slice()
  for (const row of rows) weights[row] = 0
  return { ...data, weights }
}
