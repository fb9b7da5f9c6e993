import { PassThrough } from "node:stream"
import { text } from "node:stream/consumers"
import { run } from "../../../src/client/cli/program.ts"
import type { Terminal } from "../../../src/client/cli/terminal.ts"

interface CliWorld {
  readonly env?: Readonly<Record<string, string>>
  /** Standard input. */
  readonly input?: string
  /** Width of the terminal; null for a pipe. */
  readonly columns?: number | null
  readonly hasColor?: boolean
}

export interface CliRun {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A folder that no test writes to, so that a configuration of this machine changes no test. */
const NO_CONFIG = "/nonexistent"

/** Streams in memory: a pipe by default, or a terminal of some width. */
export function memoryTerminal({ env, input = "", columns = null, hasColor = false }: CliWorld = {}) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  stdin.end(input)
  const terminal: Terminal = {
    ...{ stdin, stdout, stderr, columns, hasColor, hasKeyboard: false, isInteractive: columns !== null },
    closed: new AbortController().signal,
    env: { XDG_CONFIG_HOME: NO_CONFIG, ...env },
  }
  return { terminal, stdout, stderr }
}

/** Runs the command line in this process, as in a pipe or on a terminal. */
export async function runCli(args: readonly string[], world: CliWorld = {}): Promise<CliRun> {
  const { terminal, stdout, stderr } = memoryTerminal(world)
  const output = Promise.all([text(stdout), text(stderr)])
  const code = await run(terminal, args)
  stdout.end()
  stderr.end()
  const [out, err] = await output
  return { code, stdout: out, stderr: err }
}

/** The values of a text with a JSON value in each line. @throws SyntaxError for any other text */
export const jsonLines = (lines: string): unknown[] =>
  lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown)
