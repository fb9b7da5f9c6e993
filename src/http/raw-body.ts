import type { Context } from "hono"
import { AppError } from "../errors.ts"
import type { AppEnv } from "./endpoint.ts"

/** The bytes of a request as they came, for what is signed or no JSON. @throws AppError payload_too_large */
export async function readBytes(c: Context<AppEnv>, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const reader = c.req.raw.body?.getReader()
  const pieces: Uint8Array[] = []
  let length = 0
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    pieces.push(value)
    length += value.length
    if (length <= maxBytes) continue
    await reader.cancel()
    throw new AppError("payload_too_large", `the request body may have at most ${maxBytes} bytes`)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
