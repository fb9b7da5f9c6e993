import { ConnectionError, MailverdictError, UnfinishedJobError } from "../errors.ts"
import { keyFile, readApiKey, UsageError } from "./config.ts"
import { paint, report, type Terminal } from "./terminal.ts"

const LONG_UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const

/** Prints why a command failed. @returns the exit code: 2 wrong usage or a rejected request, 3 no answer */
export function explain(terminal: Terminal, error: unknown): number {
  if (!(error instanceof Error)) throw error
  // The reader closed the pipe.
  if ("code" in error && error.code === "EPIPE") return 0
  if ("exitCode" in error) return error.exitCode === 0 ? 0 : 2
  const isUnreachable = error instanceof ConnectionError
  const isRefusal = [UsageError, MailverdictError, UnfinishedJobError].some((kind) => error instanceof kind)
  // "syscall" marks a file error. Any other error is a defect: print its stack.
  // Node would exit with 1 for a thrown error, but 1 means the answer "no".
  if (!isUnreachable && !isRefusal && !("syscall" in error)) {
    report(terminal, error.stack ?? error.message)
    return 3
  }
  const wait = error instanceof MailverdictError ? waitInWords(error.retryAfterSeconds ?? 0) : ""
  const isKeyless = error instanceof MailverdictError && error.status === 401 && !readApiKey(terminal)
  const message = isKeyless
    ? `this command needs an API key: set MAILVERDICT_API_KEY or write it to ${keyFile()}`
    : error.message
  const text = `mailverdict: ${message}${wait}`
  report(terminal, terminal.isInteractive ? paint(terminal, "red", text) : text)
  return isUnreachable ? 3 : 2
}

/** Formats a long wait in days, hours or minutes. The monthly limit reports millions of seconds. */
function waitInWords(seconds: number): string {
  const longest = LONG_UNITS.find(([, size]) => seconds >= 2 * size)
  if (!longest) return ""
  const [unit, size] = longest
  const count = new Intl.NumberFormat("en", { style: "unit", unit, unitDisplay: "long" })
  return ` (${count.format(Math.ceil(seconds / size))})`
}
