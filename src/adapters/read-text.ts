/** The start of a body as text: at most `maxBytes`, the rest is not fetched. Bytes that are no UTF-8 become U+FFFD. */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ""
  const decoder = new TextDecoder()
  let text = ""
  for (let left = maxBytes; ; ) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    text += decoder.decode(value.subarray(0, left), { stream: true })
    left -= value.length
    if (left > 0) continue
    await reader.cancel()
    return text
  }
}
