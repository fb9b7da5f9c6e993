import { areLookalikes, areNeighbours } from "./keyboard.ts"

/** What one slip of the hand costs; 1 is a plain wrong letter that nothing explains. */
export const SLIP = {
  transposed: 0.6,
  /** A letter typed twice, or a double letter typed once. */
  repeated: 0.45,
  lookalike: 0.55,
  neighbour: 0.65,
  /** A key beside the intended one struck together with it. */
  strayNeighbour: 0.6,
  missing: 0.75,
  stray: 0.9,
  vowel: 0.85,
  wrong: 1.1,
  /** On top, for the first letter: people seldom miss it. */
  firstLetter: 0.2,
} as const

const VOWELS = new Set([..."aeiou"].map((letter) => letter.charCodeAt(0)))
const LONGEST = 64

const rows = [new Float64Array(LONGEST + 1), new Float64Array(LONGEST + 1), new Float64Array(LONGEST + 1)]

/**
 * Cost of the slips that turn `intended` into `typed` (optimal string alignment: no letter is edited twice).
 * Infinity above `limit`, or for texts over 64 characters.
 */
export function slipCost(typed: string, intended: string, limit: number): number {
  const height = typed.length
  const width = intended.length
  if (height > LONGEST || width > LONGEST || Math.abs(height - width) * SLIP.repeated > limit) return Infinity
  let [before, above, row] = rows as [Float64Array, Float64Array, Float64Array]
  above[0] = 0
  let bestAbove = 0
  for (let j = 1; j <= width; j++) above[j] = above[j - 1]! + missingCost(intended, j - 1)
  for (let i = 1; i <= height; i++) {
    row[0] = above[0]! + strayCost(typed, i - 1, intended, 0)
    let best = row[0]!
    for (let j = 1; j <= width; j++) {
      let cost = above[j - 1]! + substitutionCost(typed.charCodeAt(i - 1), intended.charCodeAt(j - 1), j)
      cost = Math.min(cost, above[j]! + strayCost(typed, i - 1, intended, j))
      cost = Math.min(cost, row[j - 1]! + missingCost(intended, j - 1))
      if (i > 1 && j > 1 && isTransposed(typed, i, intended, j)) cost = Math.min(cost, before[j - 2]! + SLIP.transposed)
      row[j] = cost
      if (cost < best) best = cost
    }
    // A transposition reaches back two rows.
    if (best > limit && bestAbove > limit) return Infinity
    bestAbove = best
    ;[before, above, row] = [above, row, before]
  }
  const total = above[width]!
  return total > limit ? Infinity : total
}

function isTransposed(typed: string, i: number, intended: string, j: number): boolean {
  return typed[i - 1] === intended[j - 2] && typed[i - 2] === intended[j - 1] && typed[i - 1] !== typed[i - 2]
}

function substitutionCost(typed: number, intended: number, column: number): number {
  if (typed === intended) return 0
  const first = column === 1 ? SLIP.firstLetter : 0
  if (areLookalikes(typed, intended)) return SLIP.lookalike + first
  if (areNeighbours(typed, intended)) return SLIP.neighbour + first
  return first + (VOWELS.has(typed) && VOWELS.has(intended) ? SLIP.vowel : SLIP.wrong)
}

function missingCost(intended: string, at: number): number {
  const letter = intended.charCodeAt(at)
  if (letter === intended.charCodeAt(at - 1) || letter === intended.charCodeAt(at + 1)) return SLIP.repeated
  return SLIP.missing + (at === 0 ? SLIP.firstLetter : 0)
}

/** A typed letter that belongs nowhere, standing after the first `j` intended ones. */
function strayCost(typed: string, at: number, intended: string, j: number): number {
  const letter = typed.charCodeAt(at)
  const left = intended.charCodeAt(j - 1)
  const right = intended.charCodeAt(j)
  if (letter === left || letter === right) return SLIP.repeated
  return areNeighbours(letter, left) || areNeighbours(letter, right) ? SLIP.strayNeighbour : SLIP.stray
}
