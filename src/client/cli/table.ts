import { stripVTControlCharacters } from "node:util"
import { eastAsianWidth } from "get-east-asian-width"
import { paint, type Style, type Terminal } from "./terminal.ts"

/** A text, and its style on a terminal with colors. */
export type Cell = string | number | readonly [text: string, style: Style]

interface Format extends Pick<Terminal, "hasColor"> {
  /** Characters in a line. */
  readonly columns: number
}

const GAP = "  "
/** A column is not cut below this width. */
const MIN_WIDTH = 8
const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" })

/**
 * Formats rows as aligned columns below a header. When they do not fit, the widest column is cut first, with "…". The first
 * one is never cut, because it has the identifier. A column of numbers is aligned on the right.
 */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  { columns, hasColor }: Format,
): string[] {
  const texts = [header, ...rows].map((row) => row.map(textOf))
  const widths = header.map((_, at) => Math.max(...texts.map((row) => displayWidth(row[at] ?? ""))))
  for (let over = total(widths) - columns; over > 0; over = total(widths) - columns) {
    const widest = widths.indexOf(Math.max(...widths.slice(1)), 1)
    if (widest === -1) break
    if (widths[widest]! <= MIN_WIDTH) break
    widths[widest] = Math.max(MIN_WIDTH, widths[widest]! - over)
  }
  const isNumeric = header.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === "number"))
  const lineOf = (cells: readonly Cell[]) =>
    cells
      .map((cell, at) => {
        const text = cut(textOf(cell), widths[at]!)
        const padding = " ".repeat(widths[at]! - displayWidth(text))
        const painted = typeof cell === "object" ? paint({ hasColor }, cell[1], text) : text
        return isNumeric[at] ? padding + painted : painted + (at === cells.length - 1 ? "" : padding)
      })
      .join(GAP)
      .trimEnd()
  return [lineOf(header.map((title) => [title, "grey"])), ...rows.map(lineOf)]
}

/** Formats facts as lines of a label and a value, with the values aligned. Facts without a value are left out. */
export function formatFacts(
  facts: readonly (readonly [label: string, value: Cell | null])[],
  { hasColor }: Pick<Terminal, "hasColor">,
): string[] {
  const shown = facts.filter((fact): fact is readonly [string, Cell] => fact[1] !== null && textOf(fact[1]) !== "")
  const width = Math.max(0, ...shown.map(([label]) => displayWidth(label)))
  return shown.map(([label, value]) => {
    const text = textOf(value)
    const padded = label + " ".repeat(width - displayWidth(label))
    return `${paint({ hasColor }, "grey", padded)}${GAP}${typeof value === "object" ? paint({ hasColor }, value[1], text) : text}`
  })
}

/** Characters that a text takes on a terminal: two for a wide character (Unicode TR 11) and for an emoji. */
export function displayWidth(text: string): number {
  let width = 0
  for (const { segment } of GRAPHEMES.segment(text)) width += widthOf(segment)
  return width
}

function widthOf(grapheme: string): number {
  if (/^[\p{Mark}\p{Cf}]/u.test(grapheme)) return 0
  return /\p{Emoji_Presentation}|\ufe0f/u.test(grapheme) ? 2 : eastAsianWidth(grapheme.codePointAt(0)!)
}

function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let kept = ""
  let used = 1
  for (const { segment } of GRAPHEMES.segment(text)) {
    used += widthOf(segment)
    if (used > width) break
    kept += segment
  }
  return `${kept}…`
}

/** Names of files and keys are foreign text. Escape sequences in them could rewrite the screen. */
export const textOf = (cell: Cell): string =>
  stripVTControlCharacters(String(typeof cell === "object" ? cell[0] : cell)).replace(/\p{Cc}/gu, " ")

const total = (widths: readonly number[]) =>
  widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1))
