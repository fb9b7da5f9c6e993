import { send } from "./call.ts"

/**
 * Yields the payloads of server-sent events (WHATWG HTML §9.2). `EventSource` cannot send an API key.
 * Ends without an error when the stream is cut off.
 */
export async function* events<T>(path: string, signal: AbortSignal): AsyncGenerator<T> {
  const answer = await send(path, { signal })
  if (!answer.ok || !answer.body.body) return
  const reader = answer.body.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + value).split("\n\n")
      rest = blocks.pop() ?? ""
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (data !== undefined) yield JSON.parse(data) as T
      }
    }
  } catch {
    // Aborted or cut off: the caller then fetches the state itself.
  }
}
