import { type Coefficients, type Dataset, fitLogistic, logOddsAt } from "./logistic.ts"

/** Prior strength of "already calibrated", in observations. */
const STRENGTH = 4
/** Minimum slope: a model with inverted ranking is flattened, not reversed. */
const MIN_SLOPE = 0.1

/** Platt scaling: a line in log-odds, fitted on samples that the model has not seen. A linear model stays linear. */
export function calibrated(fitted: Coefficients, { values, width, outcomes, weights }: Dataset): Coefficients {
  const logOdds = Float64Array.from(outcomes, (_, row) => logOddsAt(fitted, values, row * width))
  const scaling = fitLogistic(
    { values: logOdds, width: 1, outcomes, weights },
    { at: { bias: 0, weights: Float64Array.of(1) }, strength: STRENGTH },
  )
  const slope = Math.max(MIN_SLOPE, scaling.weights[0]!)
  return { bias: slope * fitted.bias + scaling.bias, weights: fitted.weights.map((weight) => slope * weight) }
}
