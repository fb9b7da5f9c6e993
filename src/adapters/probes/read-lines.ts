import { inTime } from "../in-time.ts"

const MAX_LINE_CHARS = 64_000
/** What has told all it had to closes its body at once. */
const CLOSING_MS = 100

/** The complete lines of a byte stream, without their "\n"; a torn last line is not given. Ends early at an oversized line. */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ""
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
      if (done || !value) return
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n")
      rest = lines.pop()!
      yield* lines
      if (rest.length > MAX_LINE_CHARS) return
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
