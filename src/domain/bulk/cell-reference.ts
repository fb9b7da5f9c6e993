/** Where a cell of a sheet is; both count from 1. */
export interface CellReference {
  readonly row: number
  readonly column: number
}

const CELL = /^\$?([A-Z]{1,3})\$?([1-9]\d{0,6})$/i
const ROW = /^[1-9]\d{0,6}$/

/** Reads the reference of a cell in SpreadsheetML: "B7" is row 7, column 2, and so is "$b$7". Null when it is malformed. */
export function cellReference(text: string): CellReference | null {
  const [, letters, digits] = CELL.exec(text) ?? []
  return letters === undefined ? null : { row: Number(digits), column: columnOf(letters) }
}

/** Reads the number of a row in SpreadsheetML. Null when it is malformed. */
export function rowReference(text: string): number | null {
  return ROW.test(text) ? Number(text) : null
}

/** "A" is 1, "XFD" is 16384. */
function columnOf(letters: string): number {
  let column = 0
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64
  return column
}

/** The letters of a column: 1 is "A", 16384 is "XFD". */
export function columnLetters(column: number): string {
  let letters = ""
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  return letters
}
