import type { Command } from "commander"
import { ConnectionError, isUnavailable, MailverdictError, UnfinishedJobError } from "../errors.ts"
import { UsageError } from "./config.ts"
import { messageOf } from "./flags.ts"
import { paint, report, type Terminal } from "./terminal.ts"

const LONG_UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const

interface Failure {
  /** The command that ran. Undefined when none did. */
  readonly command: Command | undefined
  readonly hasKey: boolean
}

/** Prints why a command failed. @returns the exit code: 2 wrong usage or a rejected request, 3 no answer */
export function explain(terminal: Terminal, error: unknown, { command, hasKey }: Failure): number {
  if (!(error instanceof Error)) throw error
  // The reader closed the pipe.
  if ("code" in error && error.code === "EPIPE") return 0
  if ("exitCode" in error) return error.exitCode === 0 ? 0 : 2
  const text = `mailverdict: ${reasonOf(terminal, error, { command, hasKey })}`
  report(terminal, terminal.isInteractive ? paint(terminal, "red", text) : text)
  // "syscall" marks a file error. Any other error is unexpected.
  // Node would exit with 1 for a thrown error, but 1 means the answer "no".
  return !isUnavailable(error) && (isRefusal(error) || "syscall" in error) ? 2 : 3
}

const isRefusal = (error: Error) =>
  [UsageError, MailverdictError, UnfinishedJobError].some((kind) => error instanceof kind)

function reasonOf(terminal: Terminal, error: Error, failure: Failure): string {
  if (error instanceof MailverdictError) return refusalOf(error, failure)
  // Without a cause, some other server answered.
  if (error instanceof ConnectionError)
    return error.message + (error.cause ? ". Is the service running? --url or MAILVERDICT_URL names another one" : "")
  if (isRefusal(error) || "syscall" in error) return error.message
  if (terminal.env.MAILVERDICT_DEBUG) return error.stack ?? error.message
  return `unexpected answer (${error.message}). Is it a Mailverdict service? MAILVERDICT_DEBUG=1 shows the place`
}

function refusalOf(error: MailverdictError, { command, hasKey }: Failure): string {
  if (error.status === 401)
    return hasKey
      ? `${error.message}. To sign in again: mailverdict login`
      : "this command needs an API key. Run: mailverdict login, or set MAILVERDICT_API_KEY"
  return messageOf(error, command) + waitInWords(error.retryAfterSeconds ?? 0)
}

/** Formats a long wait in days, hours or minutes. The monthly limit reports millions of seconds. */
function waitInWords(seconds: number): string {
  const longest = LONG_UNITS.find(([, size]) => seconds >= 2 * size)
  if (!longest) return ""
  const [unit, size] = longest
  const count = new Intl.NumberFormat("en", { style: "unit", unit, unitDisplay: "long" })
  return ` (${count.format(Math.ceil(seconds / size))})`
}
