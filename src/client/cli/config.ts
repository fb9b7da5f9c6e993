import { readFileSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { type Client, createClient } from "../client.ts"
import { say, type Terminal } from "./terminal.ts"

/** What a command cannot go on with; told in one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

export const keyFile = () => join(homedir(), ".config", "mailverdict", "key")

/** A list of 20 MB takes minutes over a slow line, there and back. */
export const LIST_TIMEOUT_MS = 15 * 60_000

/** Nothing is said of a shorter one. */
const SHORT_WAIT_MS = 1_000

/**
 * The key comes from MAILVERDICT_API_KEY or from a file only its owner may read; never from the command line, where every
 * other user of the machine would see it.
 */
export const keyOf = ({ env }: Terminal) =>
  (env.MAILVERDICT_API_KEY || readKeyFile(env.MAILVERDICT_KEY_FILE || keyFile()))?.trim()

/** The client a command uses. */
export function clientFor(terminal: Terminal, options: { timeoutMs?: number } = {}): Client {
  const apiKey = keyOf(terminal)
  if (apiKey && !/^[\x21-\x7e]+$/.test(apiKey)) throw new UsageError("the API key has characters that no key has")
  const baseUrl = terminal.env.MAILVERDICT_URL
  if (baseUrl && !(/^https?:/i.test(baseUrl) && URL.canParse(baseUrl)))
    throw new UsageError(`MAILVERDICT_URL ${JSON.stringify(baseUrl)} is no http URL`)
  const onWait = (waitMs: number, status: number | null) => sayWait(terminal, { waitMs, status })
  return createClient({ ...options, apiKey, baseUrl: baseUrl || undefined, onWait })
}

/** Nobody should wonder whether a command hangs: at the limit of requests a minute it waits for most of one, and longer. */
function sayWait(terminal: Terminal, { waitMs, status }: { waitMs: number; status: number | null }): void {
  if (waitMs < SHORT_WAIT_MS) return
  const why = status === null ? "no answer" : status === 429 ? "too many requests" : `the service answered ${status}`
  // A progress bar may stand in this line.
  const clear = terminal.isInteractive ? "\r\u001b[K" : ""
  say(terminal, `${clear}${why}: trying again in ${Math.round(waitMs / 1_000)} s`)
}

function readKeyFile(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return null
  // In Windows every file seems to be everybody's; who may read it is told by lists that Node does not show.
  const isOpen = process.platform !== "win32" && (stats.mode & 0o077) !== 0
  if (isOpen) throw new UsageError(`${path} can be read by others; run: chmod 600 ${path}`)
  return readFileSync(path, "utf8")
}
