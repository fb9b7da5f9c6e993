import type { Command } from "commander"
import { type Client, createClient } from "../client.ts"
import { type Config, type GlobalFlags, readAdminSecret, readSettings, type Settings } from "./config.ts"
import { type Cell, CLEAR_LINE, formatFacts, formatTable, print, report, type Terminal } from "./terminal.ts"

/** A list of 20 MB takes minutes to transfer over a slow connection. */
export const LIST_TIMEOUT_MS = 15 * 60_000
/** Shorter waits are not reported. */
const MIN_REPORTED_WAIT_MS = 1_000

/** One run of the command line. A command whose answer is its exit code passes it to `end`. */
export interface Cli {
  readonly terminal: Terminal
  /** Whether data is printed as JSON lines: with --json, and when stdout is a file or a pipe. */
  readonly isJson: boolean
  /** Whether --json was given. */
  readonly wantsJson: boolean
  /** @param stored the file's content @throws UsageError for an invalid key or URL */
  settings(stored?: Config): Settings
  /**
   * A client of the chosen service. @throws UsageError as `settings`
   * @param asOperator acts as the operator when MAILVERDICT_ADMIN_SECRET is set
   */
  client(settings?: { readonly timeoutMs?: number; readonly asOperator?: boolean }): Client
  /** Waits for a command, and stores the highest exit code. */
  end(work: Promise<number>): Promise<void>
}

/** @param onEnd gets the exit code of each command */
export function createCli(terminal: Terminal, program: Command, onEnd: (code: number) => void): Cli {
  const flags = () => program.opts<GlobalFlags>()
  return {
    terminal,
    get isJson() {
      return flags().json === true || terminal.columns === null
    },
    get wantsJson() {
      return flags().json === true
    },
    settings: (stored) => readSettings(terminal, flags(), stored),
    client({ timeoutMs, asOperator } = {}) {
      const { url, apiKey } = readSettings(terminal, flags())
      return createClient({
        baseUrl: url,
        apiKey,
        timeoutMs,
        adminSecret: asOperator ? readAdminSecret(terminal) : undefined,
        onWait: (waitMs, status) => reportWait(terminal, { waitMs, status }),
      })
    },
    async end(work) {
      onEnd(await work)
    },
  }
}

/** Prints one value: JSON, or facts with aligned values. */
export function printFacts(
  { terminal, isJson }: Pick<Cli, "terminal" | "isJson">,
  value: unknown,
  facts: readonly (readonly [string, Cell | null])[],
): void {
  if (isJson) print(terminal, JSON.stringify(value))
  else for (const line of formatFacts(facts, terminal)) print(terminal, line)
}

/** Prints a listing: a JSON line for each item, or a table. @param none the message for an empty table */
export function printTable<Item>(
  { terminal, isJson }: Pick<Cli, "terminal" | "isJson">,
  items: readonly Item[],
  { columns, none }: { columns: Readonly<Record<string, (item: Item) => Cell>>; none: string },
): void {
  if (isJson) for (const item of items) print(terminal, JSON.stringify(item))
  else if (items.length === 0) report(terminal, none)
  else {
    const rows = items.map((item) => Object.values(columns).map((cellOf) => cellOf(item)))
    printRows(terminal, Object.keys(columns), rows)
  }
}

/** Prints an aligned table. */
export function printRows(terminal: Terminal, header: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const format = { columns: terminal.columns ?? Number.POSITIVE_INFINITY, hasColor: terminal.hasColor }
  for (const line of formatTable(header, rows, format)) print(terminal, line)
}

/** Reports a wait, so that a paused command does not seem to hang. A rate limit can pause it for a minute or longer. */
function reportWait(terminal: Terminal, { waitMs, status }: { waitMs: number; status: number | null }): void {
  if (waitMs < MIN_REPORTED_WAIT_MS) return
  const why =
    status === null ? "no answer" : status === 429 ? "too many requests" : `the service returned status ${status}`
  // A progress bar may occupy this line.
  const clear = terminal.isInteractive ? CLEAR_LINE : ""
  report(terminal, `${clear}${why}: retrying in ${Math.round(waitMs / 1_000)} s`)
}
