import type { Readable, Writable } from "node:stream"
import { stripVTControlCharacters } from "node:util"
import { eastAsianWidth } from "get-east-asian-width"

/** A command's streams: data goes to stdout, messages to stderr. */
export interface Terminal {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  /** Whether a person can type: stdin is a terminal. */
  readonly hasKeyboard: boolean
  /** Whether messages appear on a terminal. */
  readonly isInteractive: boolean
  /** Width of the terminal that shows the data, in characters. Null when stdout is a file or a pipe. */
  readonly columns: number | null
  readonly hasColor: boolean
  /** Aborts when the reader of stdout is gone, as in `mailverdict ... | head`. */
  readonly closed: AbortSignal
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The width of a terminal that reports none. */
const DEFAULT_COLUMNS = 80

/** @param closed aborts when the reader of stdout is gone */
export function processTerminal(closed: AbortSignal): Terminal {
  const { stdin, stdout, stderr, env } = process
  return {
    stdin,
    stdout,
    stderr,
    env,
    closed,
    hasKeyboard: stdin.isTTY === true,
    isInteractive: stderr.isTTY === true,
    columns: stdout.isTTY ? stdout.columns || DEFAULT_COLUMNS : null,
    hasColor: stdout.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb",
  }
}

const STYLES = { green: 32, red: 31, yellow: 33, grey: 90, bold: 1 } as const
export type Style = keyof typeof STYLES

export function paint(terminal: Pick<Terminal, "hasColor">, style: Style, text: string): string {
  return terminal.hasColor ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text
}

export function print(terminal: Terminal, text: string): void {
  terminal.stdout.write(`${text}\n`)
}

export function report(terminal: Terminal, text: string): void {
  terminal.stderr.write(`${text}\n`)
}

/** Removes what is on the line, such as a progress bar. */
export const CLEAR_LINE = "\r\u001b[K"
const BAR_CHARS = 24

interface ProgressBar {
  show(done: number, total: number): void
  /** Removes the bar, so that the next message starts on a clean line. */
  end(): void
}

/** Redraws one line on a terminal. Elsewhere it prints a line for every tenth of the work. */
export function progressBar(terminal: Terminal, label: string): ProgressBar {
  let lastTenth = -1
  return {
    show(done, total) {
      const share = total === 0 ? 1 : done / total
      const tenth = Math.floor(share * 10)
      if (terminal.isInteractive) {
        const filled = Math.round(share * BAR_CHARS)
        const bar = "█".repeat(filled) + "░".repeat(BAR_CHARS - filled)
        terminal.stderr.write(`\r${label} ${bar} ${done}/${total}`)
      } else if (tenth !== lastTenth) report(terminal, `${label} ${done}/${total}`)
      lastTenth = tenth
    },
    end() {
      if (terminal.isInteractive && lastTenth >= 0) terminal.stderr.write(CLEAR_LINE)
    },
  }
}

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
  let start = ""
  let used = 1
  for (const { segment } of GRAPHEMES.segment(text)) {
    used += widthOf(segment)
    if (used > width) break
    start += segment
  }
  return `${start}…`
}

/** Names of files and keys are foreign text. Escape sequences in them could rewrite the screen. */
export const textOf = (cell: Cell): string =>
  stripVTControlCharacters(String(typeof cell === "object" ? cell[0] : cell)).replace(/\p{Cc}/gu, " ")

const total = (widths: readonly number[]) =>
  widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1))

/** `mailbox_not_found` becomes `mailbox not found`. */
export const inWords = (name: string) => name.replaceAll("_", " ")

/** 1 address, 2 addresses. */
export const counted = (count: number, noun: string, plural = `${noun}s`) =>
  `${grouped(count)} ${count === 1 ? noun : plural}`

export const grouped = (count: number) => count.toLocaleString("en")

/** A share from 0 to 1 in percent. */
export const percent = (share: number) => `${Math.round(share * 100)} %`

/** A time in the terminal's time zone, to the minute. @param time ISO 8601 */
export function moment(time: string | null): string {
  if (time === null) return ""
  const at = new Date(time)
  const two = (value: number) => String(value).padStart(2, "0")
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`
}

/** Green for yes, grey for no and for unknown. */
export const yesNo = (value: boolean | null): Cell =>
  value === null ? ["unknown", "grey"] : value ? ["yes", "green"] : ["no", "grey"]
