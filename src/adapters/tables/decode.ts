import type { FoundEncoding } from "../../domain/bulk/encoding.ts"

const PIECE_BYTES = 65_536

/** Decodes bytes in chunks, so that the whole text is never in memory. Undecodable bytes become U+FFFD. */
export function* decodePieces(bytes: Uint8Array, { encoding, bomLength }: FoundEncoding): Generator<string> {
  const decoder = new TextDecoder(encoding)
  for (let at = bomLength; at < bytes.length; at += PIECE_BYTES)
    yield decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: true })
  yield decoder.decode()
}
