/** Rows of numbers with outcomes and weights. */
export interface Dataset {
  /** All rows in sequence, `width` numbers each. */
  readonly values: Float64Array
  readonly width: number
  /** 1 or 0 each. */
  readonly outcomes: Float64Array
  readonly weights: Float64Array
}

/** A linear model of log-odds. */
export interface Coefficients {
  readonly bias: number
  readonly weights: Float64Array
}

/** Prior of the fit: its center, which is also the start, and its strength in observations. */
export interface FitPrior {
  readonly at: Coefficients
  readonly strength: number
}

const MAX_STEPS = 30
const CONVERGED = 1e-7

export function sigmoid(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds))
}

export function logit(probability: number): number {
  return Math.log(probability / (1 - probability))
}

/** @param row index of the row's first number */
export function logOddsAt({ bias, weights }: Coefficients, values: Float64Array, row: number): number {
  let sum = bias
  for (let at = 0; at < weights.length; at++) sum += weights[at]! * values[row + at]!
  return sum
}

/** Logistic regression by Newton's method, with a normal prior around the anchor. Deterministic. */
export function fitLogistic(data: Dataset, anchor: FitPrior): Coefficients {
  const { width } = data
  const at = joined(anchor.at)
  const current = at.slice()
  for (let step = 0; step < MAX_STEPS; step++) {
    const { gradient, curvature } = derivativesOf(data, split(current))
    addPrior({ gradient, curvature }, { current, at, strength: anchor.strength })
    const change = solveSymmetric(curvature, gradient, width + 1)
    let largest = 0
    for (let k = 0; k <= width; k++) {
      // Limits the step: a Newton step may overshoot, and shorter steps converge too because the loss is convex.
      const move = Math.max(-2, Math.min(2, change[k]!))
      current[k]! += move
      largest = Math.max(largest, Math.abs(move))
    }
    if (largest < CONVERGED) break
  }
  return split(current)
}

export interface Derivatives {
  /** Gradient of the log-likelihood, the bias last. */
  readonly gradient: Float64Array
  /** Negative second derivatives, row by row. */
  readonly curvature: Float64Array
}

/** First and second derivatives of the weighted log-likelihood. @param rows by default all */
export function derivativesOf(data: Dataset, coefficients: Coefficients, rows?: readonly number[]): Derivatives {
  const size = data.width + 1
  const sums = { gradient: new Float64Array(size), curvature: new Float64Array(size * size) }
  const used = { columns: new Int32Array(size), numbers: new Float64Array(size) }
  for (const row of rows ?? data.outcomes.keys())
    if (data.weights[row] !== 0) addRow(data, row, { coefficients, sums, used })
  const { curvature } = sums
  for (let k = 0; k < size; k++) for (let l = 0; l < k; l++) curvature[l * size + k] = curvature[k * size + l]!
  return sums
}

/** Buffers for the non-zero values of a row and their columns; reused for each row. */
interface Used {
  readonly columns: Int32Array
  readonly numbers: Float64Array
}

/** Adds the contribution of one row, lower triangle only. Skips zeros, which are the majority. */
function addRow(
  { values, width, weights, outcomes }: Dataset,
  row: number,
  { coefficients, sums, used }: { coefficients: Coefficients; sums: Derivatives; used: Used },
): void {
  const { columns, numbers } = used
  const { gradient, curvature } = sums
  const start = row * width
  const probability = sigmoid(logOddsAt(coefficients, values, start))
  const error = weights[row]! * (outcomes[row]! - probability)
  const spread = Math.max(1e-9, weights[row]! * probability * (1 - probability))
  let count = 0
  for (let k = 0; k <= width; k++) {
    const number = k === width ? 1 : values[start + k]!
    if (number === 0) continue
    columns[count] = k
    numbers[count++] = number
  }
  for (let i = 0; i < count; i++) {
    const line = columns[i]! * (width + 1)
    const own = numbers[i]!
    gradient[columns[i]!]! += error * own
    for (let j = 0; j <= i; j++) curvature[line + columns[j]!]! += spread * own * numbers[j]!
  }
}

export function addPrior(
  { gradient, curvature }: Derivatives,
  { current, at, strength }: { current: Float64Array; at: Float64Array; strength: number },
): void {
  const size = gradient.length
  for (let k = 0; k < size; k++) {
    gradient[k]! += strength * (at[k]! - current[k]!)
    curvature[k * size + k]! += strength
  }
}

/** Weights and bias as one vector, the bias last. */
export function joined({ bias, weights }: Coefficients): Float64Array {
  return Float64Array.of(...weights, bias)
}

export function split(values: Float64Array): Coefficients {
  return { bias: values[values.length - 1]!, weights: values.slice(0, -1) }
}

/** Solves A x = b (Cholesky). @param matrix A, row by row @throws Error when A is not positive definite */
export function solveSymmetric(matrix: Float64Array, right: Float64Array, size: number): Float64Array {
  const lower = matrix.slice()
  for (let i = 0; i < size; i++)
    for (let j = 0; j <= i; j++) {
      let sum = lower[i * size + j]!
      for (let k = 0; k < j; k++) sum -= lower[i * size + k]! * lower[j * size + k]!
      if (i !== j) lower[i * size + j] = sum / lower[j * size + j]!
      else if (sum <= 0) throw new Error("the matrix is not positive definite")
      else lower[i * size + i] = Math.sqrt(sum)
    }
  const x = right.slice()
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) x[i]! -= lower[i * size + k]! * x[k]!
    x[i]! /= lower[i * size + i]!
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) x[i]! -= lower[k * size + i]! * x[k]!
    x[i]! /= lower[i * size + i]!
  }
  return x
}

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
