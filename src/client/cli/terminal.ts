import type { Readable, Writable } from "node:stream"

/** Where a command reads and writes: data to stdout, everything else to stderr. */
export interface Terminal {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  readonly isInteractive: boolean
  readonly hasColour: boolean
  readonly env: Readonly<Record<string, string | undefined>>
}

export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process
  const hasColour = stdout.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb"
  return { stdin, stdout, stderr, isInteractive: stderr.isTTY === true, hasColour, env }
}

const COLOURS = { green: 32, red: 31, yellow: 33, grey: 90 } as const

export function paint(terminal: Terminal, colour: keyof typeof COLOURS, text: string): string {
  return terminal.hasColour ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text
}

export function print(terminal: Terminal, text: string): void {
  terminal.stdout.write(`${text}\n`)
}

export function say(terminal: Terminal, text: string): void {
  terminal.stderr.write(`${text}\n`)
}

const BAR_CHARS = 24

interface ProgressBar {
  show(done: number, total: number): void
  /** What is written next begins a line. */
  end(): void
}

/** One line that redraws itself on a terminal; on anything else a line every tenth. */
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
      } else if (tenth !== lastTenth) say(terminal, `${label} ${done}/${total}`)
      lastTenth = tenth
    },
    end() {
      if (terminal.isInteractive && lastTenth >= 0) say(terminal, "")
    },
  }
}
