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
export function areLookalikes(a: number, b: number): boolean {
  return a < CODES && b < CODES && RELATION[a * CODES + b] === LOOKALIKE
}
