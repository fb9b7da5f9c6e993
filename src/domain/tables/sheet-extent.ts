/** What the cells of a sheet stretch over: a single one far out makes a reader fill everything before it. */
export interface SheetExtent {
  readonly rows: number
  readonly columns: number
}

/** References of rows and cells in SpreadsheetML: `<row r="7">`, `<c r="B7">`. Found in whatever tag, so that none hides. */
const REFERENCE = /(?<![\w:.-])r\s*=\s*(?:"([^"]*)"|'([^']*)')/g
const WELL_FORMED = /^([A-Z]{0,3})([1-9]\d{0,6})$/

/** The extent a sheet's XML claims, told without reading its cells; null when a reference is not written as one. */
export function extentOf(xml: string): SheetExtent | null {
  let rows = 0
  let columns = 0
  for (const [, double, single] of xml.matchAll(REFERENCE)) {
    const [, letters = "", digits] = WELL_FORMED.exec(double ?? single ?? "") ?? []
    if (digits === undefined) return null
    rows = Math.max(rows, Number(digits))
    columns = Math.max(columns, columnOf(letters))
  }
  return { rows, columns }
}

/** "A" is 1, "XFD" 16384; 0 for a row. */
function columnOf(letters: string): number {
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column
}
