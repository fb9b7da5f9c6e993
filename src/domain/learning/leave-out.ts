import { solveSymmetric } from "./linear.ts"
import {
  addPrior,
  type Coefficients,
  type Dataset,
  type Derivatives,
  derivativesOf,
  type FitPrior,
  fitLogistic,
  joined,
  split,
} from "./logistic.ts"
import { groupRows, groupWeights, type TimeSlice } from "./parts.ts"

/** From this share of the weight a single Newton step is too inaccurate, and the model is fitted again. */
const REFIT_SHARE = 0.15

/**
 * The fit without each group. A small group is removed by one Newton step from the full fit, which is cheap and accurate to
 * second order. A large group needs a new fit.
 */
export function fitsWithout(
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
export function withoutRows(data: Dataset, rows: readonly number[]): Dataset {
  const weights = data.weights.slice()
  for (const row of rows) weights[row] = 0
  return { ...data, weights }
}
