import { columnLetters } from "./cell-reference.ts"
import type { Cell } from "./csv-line.ts"

/** Rows of a sheet and characters (UTF-16) of a cell that Excel opens. */
export const SHEET_LIMITS = { rows: 1_048_576, cellLength: 32_767 } as const

/** Characters that XML cannot hold, and text that looks escaped. */
const ESCAPED = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/**
 * Formats a row in SpreadsheetML (ECMA-376 part 1, 18.3.1.73). Text is never a formula, and longer text than Excel
 * opens is cut. Null and empty text have no cell.
 * @param row counts from 1
 */
export function sheetRow(row: number, cells: readonly Cell[]): string {
  return `<row r="${row}">${cells.map((cell, index) => cellXml(`${columnLetters(index + 1)}${row}`, cell)).join("")}</row>`
}

function cellXml(reference: string, cell: Cell): string {
  if (cell === null || cell === "") return ""
  if (typeof cell === "number") return `<c r="${reference}"><v>${cell}</v></c>`
  if (typeof cell === "boolean") return `<c r="${reference}" t="b"><v>${cell ? 1 : 0}</v></c>`
  const space = /^\s|\s$/.test(cell) ? ' xml:space="preserve"' : ""
  return `<c r="${reference}" t="inlineStr"><is><t${space}>${textXml(cell)}</t></is></c>`
}

/**
 * Escapes text for XML. A character that XML forbids becomes its code, such as `_x0007_` (ECMA-376 part 1, 22.9.2.19).
 * Lines end with LF, as Excel writes them.
 */
function textXml(text: string): string {
  return text
    .slice(0, SHEET_LIMITS.cellLength)
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(ESCAPED, (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`)
    .replace(/[&<>]/g, (char) => ENTITIES[char]!)
}
