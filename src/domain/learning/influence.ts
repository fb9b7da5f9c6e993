import { POINTS_PER_PROBABILITY } from "./adjustment.ts"
import { calibrated } from "./calibrate.ts"
import { fitsWithout, withoutRows } from "./leave-out.ts"
import { type Coefficients, type FitPrior, logOddsAt, sigmoid } from "./logistic.ts"
import { groupRows, type TimeSplit } from "./parts.ts"

export interface Fitted {
  readonly anchor: FitPrior
  readonly fitted: Coefficients
  /** The calibrated coefficients. */
  readonly coefficients: Coefficients
  /** Groups excluded from the check. */
  readonly trusted: ReadonlySet<string>
}

/** Maximum evaluations (groups times addresses). Beyond it, addresses are sampled at a fixed stride. */
const MAX_EVALUATIONS = 4_000_000

/**
 * For each group, the largest score change of any address when its samples are left out. The group's own addresses are
 * included: those it alone reports about are the easiest to bias.
 */
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

interface Moved {
  readonly coefficients: Coefficients
  readonly moved: Coefficients
  readonly groups: number
}

function largestMove({ fit, calibration, judged }: TimeSplit, { coefficients, moved, groups }: Moved): number {
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
