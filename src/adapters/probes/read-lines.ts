import { LINE_LIMITS } from "../../../schema/wire/probe.ts"
import { inTime } from "../in-time.ts"

/** What a node may send without a line end before it is left. */
const MAX_SKIPPED_CHARS = 4 * LINE_LIMITS.chars
/** What has told all it had to closes its body at once. */
const CLOSING_MS = 100

/** The complete lines of a byte stream, without their "\n"; null for an oversized one. A torn last line is not given. */
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
      // Only what is new is looked through: a long line may come in many pieces.
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

/** A body read to its end leaves a connection for the next request; one that is cancelled takes it along. */
async function leave(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const isAtEnd = await inTime(CLOSING_MS, (signal) =>
    Promise.race([
      reader.read().then(({ done }) => done),
      new Promise<false>((resolve) => signal.addEventListener("abort", () => resolve(false))),
    ]),
  ).catch(() => true)
  if (!isAtEnd) await reader.cancel().catch(() => undefined)
}
