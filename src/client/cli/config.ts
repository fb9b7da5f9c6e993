import { readFileSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { type Client, createClient } from "../client.ts"
import { report, type Terminal } from "./terminal.ts"

/** Wrong usage. The command prints the message on one line and exits with code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

export const keyFile = () => join(homedir(), ".config", "mailverdict", "key")

/** A list of 20 MB takes minutes to transfer over a slow connection. */
export const LIST_TIMEOUT_MS = 15 * 60_000

/** Shorter waits are not reported. */
const MIN_REPORTED_WAIT_MS = 1_000

/**
 * Reads the API key from MAILVERDICT_API_KEY or from a file that only its owner can read.
 * There is no command-line option, because other users of the machine can read a process's arguments.
 */
export const readApiKey = ({ env }: Terminal) =>
  (env.MAILVERDICT_API_KEY || readKeyFile(env.MAILVERDICT_KEY_FILE || keyFile()))?.trim()

/** Reads the operator's secret from MAILVERDICT_ADMIN_SECRET, for commands that show the whole service. */
export const readAdminSecret = ({ env }: Terminal) => env.MAILVERDICT_ADMIN_SECRET?.trim() || undefined

/** Creates the client from the environment. @throws UsageError for an invalid key or URL */
export function clientFor(
  terminal: Terminal,
  options: { timeoutMs?: number; adminSecret?: string | undefined } = {},
): Client {
  const apiKey = readApiKey(terminal)
  if (apiKey && !/^[\x21-\x7e]+$/.test(apiKey)) throw new UsageError("the API key contains invalid characters")
  const baseUrl = terminal.env.MAILVERDICT_URL
  if (baseUrl && !(/^https?:/i.test(baseUrl) && URL.canParse(baseUrl)))
    throw new UsageError(`MAILVERDICT_URL ${JSON.stringify(baseUrl)} is not an http or https URL`)
  const onWait = (waitMs: number, status: number | null) => reportWait(terminal, { waitMs, status })
  return createClient({ ...options, apiKey, baseUrl: baseUrl || undefined, onWait })
}

/** Reports a wait, so that a paused command does not seem to hang. A rate limit can pause it for a minute or longer. */
function reportWait(terminal: Terminal, { waitMs, status }: { waitMs: number; status: number | null }): void {
  if (waitMs < MIN_REPORTED_WAIT_MS) return
  const why =
    status === null ? "no answer" : status === 429 ? "too many requests" : `the service returned status ${status}`
  // A progress bar may occupy this line.
  const clear = terminal.isInteractive ? "\r\u001b[K" : ""
  report(terminal, `${clear}${why}: retrying in ${Math.round(waitMs / 1_000)} s`)
}

function readKeyFile(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return null
  // On Windows the mode does not show the access control list, and every file looks readable by all.
  const isShared = process.platform !== "win32" && (stats.mode & 0o077) !== 0
  if (isShared) throw new UsageError(`other users can read ${path}. Run: chmod 600 ${path}`)
  return readFileSync(path, "utf8")
}
