import { type Coefficients, type Dataset, fitLogistic, logOddsAt } from "./logistic.ts"

/** As many observations as the belief is worth that a fit is calibrated as it is. */
const STRENGTH = 4
/** A model whose order is wrong is not turned round, but made to say next to nothing. */
const MIN_SLOPE = 0.1

/** Platt's scaling: a line in log-odds, fitted on samples the model has not seen. What is linear stays linear. */
export function calibrated(fitted: Coefficients, { values, width, outcomes, weights }: Dataset): Coefficients {
  const logOdds = Float64Array.from(outcomes, (_, row) => logOddsAt(fitted, values, row * width))
  const scaling = fitLogistic(
    { values: logOdds, width: 1, outcomes, weights },
    { at: { bias: 0, weights: Float64Array.of(1) }, strength: STRENGTH },
  )
  const slope = Math.max(MIN_SLOPE, scaling.weights[0]!)
  return { bias: slope * fitted.bias + scaling.bias, weights: fitted.weights.map((weight) => slope * weight) }
}
