const encoder = new TextEncoder()

/** A body made of pieces of text as they are wanted: what the client does not read is not made. */
export function textStream(pieces: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

/** The JSON of an object with one long array, piece by piece. @param head everything before the array */
export async function* jsonWithArray(
  head: Readonly<Record<string, unknown>>,
  field: string,
  pages: AsyncIterable<readonly unknown[]>,
): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},${JSON.stringify(field)}:[`
  let isFirst = true
  for await (const page of pages) {
    if (page.length === 0) continue
    yield `${isFirst ? "" : ","}${page.map((row) => JSON.stringify(row)).join(",")}`
    isFirst = false
  }
  yield "]}"
}

/** One server-sent event (WHATWG HTML §9.2). */
export function serverSentEvent(event: string, payload: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(payload)}\n\n`
}
