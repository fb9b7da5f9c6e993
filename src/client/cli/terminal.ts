import type { Readable, Writable } from "node:stream"

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
    ...{ stdin, stdout, stderr, env, closed },
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
