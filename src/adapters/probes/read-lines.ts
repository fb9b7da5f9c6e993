const MAX_LINE_CHARS = 64_000

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
    await reader.cancel().catch(() => undefined)
  }
}
