import type { FoundEncoding } from "../../domain/tables/encoding.ts"

const PIECE_BYTES = 65_536

/** The text of bytes piece by piece, so that a file is never in memory as a whole text. Bytes that are no letters become U+FFFD. */
export function* decodePieces(bytes: Uint8Array, { encoding, bomLength }: FoundEncoding): Generator<string> {
  const decoder = new TextDecoder(encoding)
  for (let at = bomLength; at < bytes.length; at += PIECE_BYTES)
    yield decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: true })
  yield decoder.decode()
}
