/** What a spreadsheet takes for the start of a formula (OWASP "CSV Injection"), full-width forms included. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u

export type Cell = string | number | boolean | null

/**
 * One record of a CSV (RFC 4180) that opens as text: a cell that could be a formula gets an apostrophe in front and
 * quotes around it. Empty for null; ends in CRLF.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`
}

function csvCell(cell: Cell): string {
  if (cell === null) return ""
  if (typeof cell !== "string") return String(cell)
  if (FORMULA.test(cell)) return quote(`'${cell}`)
  return /[",\r\n]|^\s|\s$/.test(cell) ? quote(cell) : cell
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
