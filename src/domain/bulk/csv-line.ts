import type { Delimiter } from "./delimiter.ts"

/** Characters that start a formula in a spreadsheet (OWASP "CSV Injection"), with their full-width forms. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u

export type Cell = string | number | boolean | null

/**
 * Formats a CSV record (RFC 4180) with a final CRLF. A null cell is empty.
 * A cell that could be a formula gets quotes and a leading apostrophe, so that spreadsheets read it as text.
 */
export function csvLine(cells: readonly Cell[], delimiter: Delimiter = ","): string {
  return `${cells.map((cell) => csvCell(cell, delimiter)).join(delimiter)}\r\n`
}

function csvCell(cell: Cell, delimiter: Delimiter): string {
  if (cell === null) return ""
  if (typeof cell !== "string") return String(cell)
  if (FORMULA.test(cell)) return quote(`'${cell}`)
  return /["\r\n]|^\s|\s$/.test(cell) || cell.includes(delimiter) ? quote(cell) : cell
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
