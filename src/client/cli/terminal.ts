import type { Readable, Writable } from "node:stream"

/** A command's streams: data goes to stdout, messages to stderr. */
export interface Terminal {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  readonly isInteractive: boolean
  readonly hasColor: boolean
  readonly env: Readonly<Record<string, string | undefined>>
}

export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process
  const hasColor = stdout.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb"
  return { stdin, stdout, stderr, isInteractive: stderr.isTTY === true, hasColor, env }
}

const COLORS = { green: 32, red: 31, yellow: 33, grey: 90 } as const

export function paint(terminal: Terminal, color: keyof typeof COLORS, text: string): string {
  return terminal.hasColor ? `\u001b[${COLORS[color]}m${text}\u001b[0m` : text
}

export function print(terminal: Terminal, text: string): void {
  terminal.stdout.write(`${text}\n`)
}

export function report(terminal: Terminal, text: string): void {
  terminal.stderr.write(`${text}\n`)
}

const BAR_CHARS = 24

interface ProgressBar {
  show(done: number, total: number): void
  /** Moves to a new line. */
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
      if (terminal.isInteractive && lastTenth >= 0) report(terminal, "")
    },
  }
}
