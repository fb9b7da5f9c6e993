import type { FoundEncoding } from "../../domain/lists/uploaded-file.ts"

const PIECE_BYTES = 65_536
const UNREADABLE = "\ufffd"

/** Decodes the bytes of a text in pieces, so that the whole text is never in memory. */
export class TextPieces {
  /** Characters so far that could not be read: undecodable bytes, NUL, and such characters of the file itself. */
  unreadable = 0
  readonly #bytes: Uint8Array
  readonly #found: FoundEncoding

  constructor(bytes: Uint8Array, found: FoundEncoding) {
    this.#bytes = bytes
    this.#found = found
  }

  /** The pieces of the text, each with U+FFFD for what cannot be read. */
  *[Symbol.iterator](): Generator<string> {
    this.unreadable = 0
    const decoder = new TextDecoder(this.#found.encoding)
    for (let at = this.#found.bomLength; at < this.#bytes.length; at += PIECE_BYTES)
      yield this.#checked(decoder.decode(this.#bytes.subarray(at, at + PIECE_BYTES), { stream: true }))
    yield this.#checked(decoder.decode())
  }

  #checked(piece: string): string {
    const text = piece.replaceAll("\u0000", UNREADABLE)
    for (let at = text.indexOf(UNREADABLE); at >= 0; at = text.indexOf(UNREADABLE, at + 1)) this.unreadable++
    return text
  }
}
