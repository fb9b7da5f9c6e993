/**
 * Solves A x = b for a symmetric, positive definite A (Cholesky). @param matrix row by row; not modified
 * @throws Error when A is not positive definite, which cannot occur in an anchored fit
 */
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
