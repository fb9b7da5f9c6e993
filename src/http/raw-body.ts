import type { Context } from "hono"
import { AppError } from "../errors.ts"
import type { AppEnv } from "./endpoint.ts"
import { InvalidRequest } from "./invalid-request.ts"

/** Maps a failed read to a 422, because the client ended the connection. */
export function wasAborted(cause: unknown): never {
  throw new InvalidRequest("body", [{ field: [], msg: "the request body ended early", type: "incomplete" }], { cause })
}

/** The body of a request as it arrives. @throws AppError invalid */
export async function* bodyPieces(c: Context<AppEnv>): AsyncGenerator<Uint8Array> {
  const reader = c.req.raw.body?.getReader()
  try {
    while (reader) {
      const { done, value } = await reader.read().catch(wasAborted)
      if (done) return
      yield value
    }
  } finally {
    await reader?.cancel().catch(() => undefined)
  }
}

/** The bytes of a request. Stops as soon as they exceed the limit. @throws AppError payload_too_large, invalid */
export async function readBytes(
  c: Context<AppEnv>,
  maxBytes: number,
  what = "the request body",
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of bodyPieces(c)) {
    length += piece.length
    if (length > maxBytes) throw new AppError("payload_too_large", `${what} may have at most ${maxBytes} bytes`)
    pieces.push(piece)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
