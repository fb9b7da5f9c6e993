import { POINTS_PER_PROBABILITY } from "./adjustment.ts"
import { calibrated } from "./calibrate.ts"
import { solveSymmetric } from "./linear.ts"
import {
  type Anchor,
  addAnchor,
  type Coefficients,
  type Dataset,
  fitLogistic,
  joined,
  logOddsAt,
  sigmoid,
  slopes,
  split,
} from "./logistic.ts"
import { groupRows, groupWeights, type Parts } from "./parts.ts"

export interface Fitted {
  readonly anchor: Anchor
  readonly fitted: Coefficients
  /** After calibration. */
  readonly coefficients: Coefficients
  /** Groups that are not looked at. */
  readonly trusted: ReadonlySet<string>
}

/** From this share of the weight on, a single Newton step is too rough. */
const REFIT_SHARE = 0.15
/** Groups times addresses looked at; beyond it every so many an address. */
const MAX_LOOKS = 4_000_000

/**
 * By how many points of the score leaving a group's samples out would move another's address at most, for each group. Small
 * groups are left out by one Newton step from the whole fit, which is exact to second order; large ones by a new fit.
 */
export function influenceOf(parts: Parts, { anchor, fitted, coefficients, trusted }: Fitted): Map<string, number> {
  const { data } = parts.fit
  const whole = slopes(data, fitted)
  addAnchor(whole, { current: joined(fitted), at: joined(anchor.at), strength: anchor.strength })
  const totals = groupWeights(parts.fit)
  const all = [...totals.values()].reduce((sum, weight) => sum + weight, 0)
  const rows = groupRows(parts.fit)
  const groups = new Set([...rows.keys(), ...parts.calibration.groups].filter((group) => !trusted.has(group)))
  const influences = new Map<string, number>()
  for (const group of groups) {
    const own = rows.get(group) ?? []
    const isLarge = (totals.get(group) ?? 0) / all > REFIT_SHARE
    const left = isLarge ? fitLogistic(without(data, own), anchor) : step(data, { from: fitted, whole, without: own })
    const others = parts.calibration.groups.flatMap((name, at) => (name === group ? [at] : []))
    const moved = calibrated(left, without(parts.calibration.data, others))
    influences.set(group, largestMove(parts, { group, coefficients, moved, groups: groups.size }))
  }
  return influences
}

/** The coefficients without some rows, one Newton step from those with them. */
function step(
  data: Dataset,
  { from, whole, without }: { from: Coefficients; whole: ReturnType<typeof slopes>; without: readonly number[] },
): Coefficients {
  if (without.length === 0) return from
  const own = slopes(data, from, without)
  const gradient = whole.gradient.map((value, at) => value - own.gradient[at]!)
  const curvature = whole.curvature.map((value, at) => value - own.curvature[at]!)
  const change = solveSymmetric(curvature, gradient, gradient.length)
  return split(joined(from).map((value, at) => value + change[at]!))
}

function without(data: Dataset, rows: readonly number[]): Dataset {
  const weights = data.weights.slice()
  for (const row of rows) weights[row] = 0
  return { ...data, weights }
}

interface Moved {
  readonly group: string
  readonly coefficients: Coefficients
  readonly moved: Coefficients
  readonly groups: number
}

function largestMove({ fit, calibration, judged }: Parts, { group, coefficients, moved, groups }: Moved): number {
  const total = fit.groups.length + calibration.groups.length + judged.groups.length
  const stride = Math.max(1, Math.ceil((total * groups) / MAX_LOOKS))
  let largest = 0
  for (const { data, groups: names } of [fit, calibration, judged])
    for (let row = 0; row < names.length; row += stride) {
      if (names[row] === group && groups > 1) continue
      const at = row * data.width
      const before = sigmoid(logOddsAt(coefficients, data.values, at))
      largest = Math.max(largest, Math.abs(before - sigmoid(logOddsAt(moved, data.values, at))))
    }
  return largest * POINTS_PER_PROBABILITY
}
