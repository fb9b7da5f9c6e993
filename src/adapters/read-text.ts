/** The start of a body as text, at most `maxBytes`; the rest is not read. Invalid UTF-8 becomes U+FFFD. */
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

/** The whole body; null when it is longer than `maxBytes`, and then the rest is not read. */
export async function readWhole(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for await (const chunk of startOf(response, maxBytes + 1)) {
    chunks.push(chunk)
    length += chunk.length
  }
  if (length > maxBytes) return null
  // A short answer arrives whole, and a Blob costs more than its request's signature.
  return chunks.length === 1 ? chunks[0]! : new Uint8Array(await new Blob(chunks).arrayBuffer())
}

/** Yields the first `maxBytes` after decompression: a few bytes of gzip may expand a thousandfold. */
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
