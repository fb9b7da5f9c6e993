/** The start of a body as text: at most `maxBytes`, the rest is not fetched. Bytes that are no UTF-8 become U+FFFD. */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  let left = maxBytes
  for await (const chunk of startOf(response, maxBytes)) {
    text += decoder.decode(chunk, { stream: true })
    left -= chunk.length
  }
  return left > 0 ? text + decoder.decode() : text
}

/** All of a body, or null when it is longer than `maxBytes`; then the rest is not fetched. */
export async function readWhole(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for await (const chunk of startOf(response, maxBytes + 1)) {
    chunks.push(chunk)
    length += chunk.length
  }
  return length > maxBytes ? null : new Uint8Array(await new Blob(chunks).arrayBuffer())
}

/** The first `maxBytes` as they come, unpacked: a few bytes of gzip may be thousands of times as many. */
async function* startOf(response: Response, maxBytes: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader()
  if (!reader) return
  for (let left = maxBytes; ; ) {
    const { done, value } = await reader.read()
    if (done) return
    yield value.subarray(0, left)
    left -= value.length
    if (left <= 0) return reader.cancel()
  }
}
