import { ConnectionError, MailverdictError, UnfinishedJobError } from "../errors.ts"
import { keyFile, keyOf, UsageError } from "./config.ts"
import { paint, say, type Terminal } from "./terminal.ts"

const LONG_UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const

/** Says in one line why a command could not go on. @returns the exit code: 2 wrong usage or a refusal, 3 no answer */
export function explain(terminal: Terminal, error: unknown): number {
  if (!(error instanceof Error)) throw error
  // Nobody reads on.
  if ("code" in error && error.code === "EPIPE") return 0
  if ("exitCode" in error) return error.exitCode === 0 ? 0 : 2
  const isUnreachable = error instanceof ConnectionError
  const isRefusal = [UsageError, MailverdictError, UnfinishedJobError].some((kind) => error instanceof kind)
  // "syscall": a file that cannot be read or written. What is none of these is a defect, and its stack is wanted; thrown on, it
  // would end with 1, which is the answer "no".
  if (!isUnreachable && !isRefusal && !("syscall" in error)) {
    say(terminal, error.stack ?? error.message)
    return 3
  }
  const wait = error instanceof MailverdictError ? inWords(error.retryAfterSeconds ?? 0) : ""
  const isKeyless = error instanceof MailverdictError && error.status === 401 && !keyOf(terminal)
  const message = isKeyless ? `this needs an API key, in MAILVERDICT_API_KEY or ${keyFile()}` : error.message
  const text = `mailverdict: ${message}${wait}`
  say(terminal, terminal.isInteractive ? paint(terminal, "red", text) : text)
  return isUnreachable ? 3 : 2
}

/** What a wait comes to: at the monthly limit it is told as millions of seconds. */
function inWords(seconds: number): string {
  const longest = LONG_UNITS.find(([, size]) => seconds >= 2 * size)
  if (!longest) return ""
  const [unit, size] = longest
  const count = new Intl.NumberFormat("en", { style: "unit", unit, unitDisplay: "long" })
  return ` (${count.format(Math.ceil(seconds / size))})`
}
