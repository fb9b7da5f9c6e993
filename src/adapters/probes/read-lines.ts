import { LINE_LIMITS } from "../../../schema/wire/probe.ts"

/** Characters that a node may send in oversized lines before reading stops. */
const MAX_SKIPPED_CHARS = 4 * LINE_LIMITS.chars
/** A node that sent its last line closes the body at once. */
const CLOSING_MS = 100

/** Yields complete lines of a byte stream without "\
", null for an oversized line. An incomplete last line is dropped. */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string | null> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ""
  let skipped = 0
  let isOversized = false
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
      if (done || !value) return
      // Only new text is searched: a long line may arrive in many chunks.
      const lines = decoder.decode(value, { stream: true }).split("\n")
      lines[0] = rest + lines[0]
      rest = lines.pop()!
      for (const line of lines) {
        yield isOversized || line.length > LINE_LIMITS.chars ? null : line
        isOversized = false
      }
      if (rest.length <= LINE_LIMITS.chars) continue
      isOversized = true
      skipped += rest.length
      rest = ""
      if (skipped > MAX_SKIPPED_CHARS) return
    }
  } finally {
    await leave(reader)
  }
}

/** A body that is read to its end leaves the connection reusable. Canceling the body closes the connection. */
async function leave(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const { promise: isLate, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(resolve, CLOSING_MS, false)
  const isAtEnd = await Promise.race([reader.read().then(({ done }) => done), isLate]).catch(() => true)
  clearTimeout(timer)
  if (!isAtEnd) await reader.cancel().catch(() => undefined)
}
