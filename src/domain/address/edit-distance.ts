/** Costs of single typing errors. An unexplained wrong letter costs about 1. */
export const TYPING_ERROR_COST = {
  transposed: 0.6,
  /** A letter typed twice, or a double letter typed once. */
  repeated: 0.45,
  lookalike: 0.55,
  neighbor: 0.65,
  /** An adjacent key pressed together with the intended one. */
  strayNeighbor: 0.6,
  missing: 0.75,
  stray: 0.9,
  vowel: 0.85,
  wrong: 1.1,
  /** Added for the first letter, which is seldom wrong. */
  firstLetter: 0.2,
} as const

const VOWELS = new Set([..."aeiou"].map((letter) => letter.charCodeAt(0)))
const LONGEST = 64

const rows = [new Float64Array(LONGEST + 1), new Float64Array(LONGEST + 1), new Float64Array(LONGEST + 1)]

/**
 * Returns the cost of the typing errors that turn `intended` into `typed` (optimal string alignment).
 * @returns Infinity above `limit`, or for texts over 64 characters
 */
export function typingErrorCost(typed: string, intended: string, limit: number): number {
  if (typed.length > LONGEST || intended.length > LONGEST) return Infinity
  if (Math.abs(typed.length - intended.length) * TYPING_ERROR_COST.repeated > limit) return Infinity
  const start = commonStart(typed, intended)
  const end = commonEnd(typed, intended, start)
  return alignmentCost(
    { typed, intended, start, height: typed.length - end - start, width: intended.length - end - start },
    limit,
  )
}

/** Two texts without their equal ends, except for the context that a transposition or a doubled letter needs. */
interface Middle {
  readonly typed: string
  readonly intended: string
  readonly start: number
  readonly height: number
  readonly width: number
}

const CONTEXT = 2

function commonStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let same = 0
  while (same < most && a.charCodeAt(same) === b.charCodeAt(same)) same++
  return Math.max(0, same - CONTEXT)
}

function commonEnd(a: string, b: string, start: number): number {
  const most = Math.min(a.length, b.length) - start
  let same = 0
  while (same < most && a.charCodeAt(a.length - 1 - same) === b.charCodeAt(b.length - 1 - same)) same++
  return Math.max(0, same - CONTEXT)
}

function alignmentCost({ typed, intended, start, height, width }: Middle, limit: number): number {
  let [before, above, row] = rows as [Float64Array, Float64Array, Float64Array]
  let bestAbove = 0
  above[0] = 0
  for (let j = 1; j <= width; j++) above[j] = above[j - 1]! + missingCost(intended, start + j - 1)
  for (let i = 1; i <= height; i++) {
    const at = start + i - 1
    row[0] = above[0]! + strayCost(typed, at, intended, start)
    let best = row[0]!
    for (let j = 1; j <= width; j++) {
      const of = start + j - 1
      let cost = above[j - 1]! + substitutionCost(typed.charCodeAt(at), intended.charCodeAt(of), of)
      cost = Math.min(cost, above[j]! + strayCost(typed, at, intended, of + 1))
      cost = Math.min(cost, row[j - 1]! + missingCost(intended, of))
      if (i > 1 && j > 1 && isTransposed(typed, at, intended, of))
        cost = Math.min(cost, before[j - 2]! + TYPING_ERROR_COST.transposed)
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

/** Whether the two letters up to `at` and up to `of` are swapped. */
function isTransposed(typed: string, at: number, intended: string, of: number): boolean {
  const last = typed.charCodeAt(at)
  const first = typed.charCodeAt(at - 1)
  return last !== first && last === intended.charCodeAt(of - 1) && first === intended.charCodeAt(of)
}

function substitutionCost(typed: number, intended: number, of: number): number {
  if (typed === intended) return 0
  const first = of === 0 ? TYPING_ERROR_COST.firstLetter : 0
  if (areLookalikes(typed, intended)) return TYPING_ERROR_COST.lookalike + first
  if (areNeighbors(typed, intended)) return TYPING_ERROR_COST.neighbor + first
  return first + (VOWELS.has(typed) && VOWELS.has(intended) ? TYPING_ERROR_COST.vowel : TYPING_ERROR_COST.wrong)
}

function missingCost(intended: string, at: number): number {
  const letter = intended.charCodeAt(at)
  if (letter === intended.charCodeAt(at - 1) || letter === intended.charCodeAt(at + 1))
    return TYPING_ERROR_COST.repeated
  return TYPING_ERROR_COST.missing + (at === 0 ? TYPING_ERROR_COST.firstLetter : 0)
}

/** Cost of an additional typed letter before the intended letter at `of`. */
function strayCost(typed: string, at: number, intended: string, of: number): number {
  const letter = typed.charCodeAt(at)
  const left = intended.charCodeAt(of - 1)
  const right = intended.charCodeAt(of)
  if (letter === left || letter === right) return TYPING_ERROR_COST.repeated
  return areNeighbors(letter, left) || areNeighbors(letter, right)
    ? TYPING_ERROR_COST.strayNeighbor
    : TYPING_ERROR_COST.stray
}

/** Rows of the letter and digit keys. The column of a key is its index plus the row's stagger. */
const QWERTY = ["1234567890-", "qwertyuiop", "asdfghjkl", "zxcvbnm,."]
const STAGGER = [0, 0.5, 0.75, 1.25]

/** Keys that are swapped on other Latin layouts: AZERTY, then QWERTZ. */
const LAYOUT_SWAPS = ["aq", "wz", "yz"]

/** Glyphs that look alike in small print, and two letters whose names sound alike. */
const LOOKALIKES = ["0o", "1l", "1i", "il", "ij", "5s", "3e", "4a", "8b", "gj"]

const CODES = 128
const NEIGHBOR = 1
const LOOKALIKE = 2

/** For each pair of ASCII codes: whether the keys are adjacent, or the glyphs look alike. */
const RELATION = relations()

function relations(): Uint8Array {
  const table = new Uint8Array(CODES * CODES)
  const relate = (a: string, b: string, kind: number) => {
    table[a.charCodeAt(0) * CODES + b.charCodeAt(0)] = kind
    table[b.charCodeAt(0) * CODES + a.charCodeAt(0)] = kind
  }
  const keys = QWERTY.flatMap((row, y) => [...row].map((key, x) => ({ key, x: x + STAGGER[y]!, y })))
  for (const a of keys) {
    for (const b of keys) {
      if (a.key < b.key && Math.abs(a.x - b.x) <= 1 && Math.abs(a.y - b.y) <= 1) relate(a.key, b.key, NEIGHBOR)
    }
  }
  for (const [a, b] of LAYOUT_SWAPS) relate(a!, b!, NEIGHBOR)
  for (const [a, b] of LOOKALIKES) relate(a!, b!, LOOKALIKE)
  return table
}

/** Whether two ASCII codes look alike, are adjacent on QWERTY, or are swapped on AZERTY or QWERTZ. */
export function areNeighbors(a: number, b: number): boolean {
  return a < CODES && b < CODES && RELATION[a * CODES + b] !== 0
}

/** Whether two ASCII codes are often confused (0 and o, 1 and l). */
function areLookalikes(a: number, b: number): boolean {
  return a < CODES && b < CODES && RELATION[a * CODES + b] === LOOKALIKE
}
