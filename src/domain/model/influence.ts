import { POINTS_PER_PROBABILITY } from "./adjustment.ts"
import { calibrated } from "./calibrate.ts"
import { fitsWithout, withoutRows } from "./leave-out.ts"
import { type Anchor, type Coefficients, logOddsAt, sigmoid } from "./logistic.ts"
import { groupRows, type Parts } from "./parts.ts"

export interface Fitted {
  readonly anchor: Anchor
  readonly fitted: Coefficients
  /** After calibration. */
  readonly coefficients: Coefficients
  /** Groups that are not looked at. */
  readonly trusted: ReadonlySet<string>
}

/** Groups times addresses looked at; beyond it every so many an address. */
const MAX_LOOKS = 4_000_000

/**
 * By how many points of the score leaving a group's samples out would move an address at most, for each group. Its own are
 * among the addresses: what it alone reports of is what it could bend most.
 */
export function influenceOf(parts: Parts, { anchor, fitted, coefficients, trusted }: Fitted): Map<string, number> {
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

function largestMove({ fit, calibration, judged }: Parts, { coefficients, moved, groups }: Moved): number {
  const total = fit.groups.length + calibration.groups.length + judged.groups.length
  const stride = Math.max(1, Math.ceil((total * groups) / MAX_LOOKS))
  let largest = 0
  for (const { data, groups: names } of [fit, calibration, judged])
    for (let row = 0; row < names.length; row += stride) {
      const at = row * data.width
      const before = sigmoid(logOddsAt(coefficients, data.values, at))
      largest = Math.max(largest, Math.abs(before - sigmoid(logOddsAt(moved, data.values, at))))
    }
  return largest * POINTS_PER_PROBABILITY
}
