/** Lines of workerd that an operator cannot act on. */
const DROPPED: readonly RegExp[] = [
  // Caused by our V8 flags at every start; it costs some milliseconds.
  /^NOSENTRY per-isolate bootstrap compile cache/,
  // The Worker logs the host that it cannot reach.
  /: failed: (?:failed to lookup address|.*(?:Network is unreachable|No route to host|Connection (?:refused|reset|timed out)))/,
  // Comes before the error below.
  /^Received a connect event but we lack a handler/,
]

/** Errors of workerd in plain words. */
const WORDED: readonly (readonly [RegExp, string])[] = [
  [/Handler does not export a connect\(\) function/, "a CONNECT request was refused: the service is not a proxy"],
]

/**
 * Turns a line that workerd prints into one line for the log.
 * @param line structured (`{"message": ...}`) or plain
 * @returns null when the line is not worth logging
 */
export function logLine(line: string): string | null {
  const message = messageOf(line)
  if (DROPPED.some((pattern) => pattern.test(message))) return null
  const worded = WORDED.find(([pattern]) => pattern.test(message))
  if (worded) return worded[1]
  // Code addresses are of no use without the program's symbols.
  return message.split(/\n?;? ?stack: \//, 1)[0]!
}

function messageOf(line: string): string {
  if (!line.startsWith("{")) return line
  try {
    const { message } = JSON.parse(line) as { message?: unknown }
    return typeof message === "string" ? message : line
  } catch {
    return line
  }
}
