/** Characters that start a formula in a spreadsheet (OWASP "CSV Injection"), with their full-width forms. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u

export type Cell = string | number | boolean | null

/**
 * Formats a CSV record (RFC 4180) with a final CRLF. A null cell is empty.
 * A cell that could be a formula gets quotes and a leading apostrophe, so that spreadsheets read it as text.
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
