import { solveSymmetric } from "./linear.ts"
import {
  type Anchor,
  addAnchor,
  type Coefficients,
  type Dataset,
  fitLogistic,
  joined,
  type Slopes,
  slopes,
  split,
} from "./logistic.ts"
import { groupRows, groupWeights, type Part } from "./parts.ts"

/** From this share of the weight on, a single Newton step is too rough. */
const REFIT_SHARE = 0.15

/**
 * The fit without each group. Small groups are left out by one Newton step from the whole fit, which is exact to second
 * order and costs hardly anything; large ones by a new fit.
 */
export function fitsWithout(
  part: Part,
  { anchor, fitted }: { anchor: Anchor; fitted: Coefficients },
): Map<string, Coefficients> {
  const { data } = part
  const whole = slopes(data, fitted)
  addAnchor(whole, { current: joined(fitted), at: joined(anchor.at), strength: anchor.strength })
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
  { from, whole, rows }: { from: Coefficients; whole: Slopes; rows: readonly number[] },
): Coefficients {
  const own = slopes(data, from, rows)
  const gradient = whole.gradient.map((value, at) => value - own.gradient[at]!)
  const curvature = whole.curvature.map((value, at) => value - own.curvature[at]!)
  const change = solveSymmetric(curvature, gradient, gradient.length)
  return split(joined(from).map((value, at) => value + change[at]!))
}

/** The data with some rows counting nothing. */
export function withoutRows(data: Dataset, rows: readonly number[]): Dataset {
  const weights = data.weights.slice()
  for (const row of rows) weights[row] = 0
  return { ...data, weights }
}
