import type { Delimiter } from "./delimiter.ts"

/** Characters that start a formula in a spreadsheet (OWASP "CSV Injection"), with their full-width forms. */
const SIGN = "[=+\\-@＝＋－＠]"
/**
 * What may precede the first character of a cell, in a program that splits the text at another delimiter: one of the
 * usual delimiters or a line break, then quotes, white space and invisible characters.
 */
const START = '(?:^|[,;\\t|\\r\\n])[\\s"\\p{Cc}\\p{Cf}]*'
/** Where a formula could start. Apostrophes before it count, so that `restoredCell` removes only what was added. */
const FORMULAS = new RegExp(`(?<!')(?='*${SIGN})(?<=${START})|^(?='*[\\t\\r\\n])`, "gu")
const ADDED = new RegExp(`(?<!')(?='+${SIGN})(?<=${START})'|^'(?='*[\\t\\r\\n])`, "gu")

export type Cell = string | number | boolean | null

/**
 * Formats a CSV record (RFC 4180) with a final CRLF. A null cell is empty.
 * An apostrophe precedes each part of a cell that could be a formula, so that spreadsheets read it as text, whichever of
 * the usual delimiters they split at. Such a cell gets quotes.
 */
export function csvLine(cells: readonly Cell[], delimiter: Delimiter = ","): string {
  return `${cells.map((cell) => csvCell(cell, delimiter)).join(delimiter)}\r\n`
}

function csvCell(cell: Cell, delimiter: Delimiter): string {
  if (cell === null) return ""
  if (typeof cell !== "string") return String(cell)
  const text = cell.replace(FORMULAS, "'")
  return text !== cell || /["\r\n]|^\s|\s$/.test(cell) || cell.includes(delimiter) ? quote(text) : cell
}

/** The text of a cell before `csvLine` added its apostrophes. Other services add the first of them, too. */
export function restoredCell(cell: string): string {
  return cell.includes("'") ? cell.replace(ADDED, "") : cell
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
