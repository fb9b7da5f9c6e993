import { yieldToEventLoop } from "../concurrency/yield-to-event-loop.ts"

/** One file and some fields. */
const MAX_PARTS = 20
const MAX_HEADER_BYTES = 8_192
/** The characters and the length of a boundary (RFC 2046 5.1.1). */
const BOUNDARY = /^[\w'()+,./:=? -]{1,70}$/
/** Bytes to search per turn of the event loop. */
const PIECE_BYTES = 262_144

/** The boundary in the type of a form; null when it has none that RFC 2046 allows. */
export function boundaryOf(contentType: string): string | null {
  const [, quoted, plain = ""] = /;\s*boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  return BOUNDARY.test(boundary) ? boundary : null
}

/**
 * Checks the number of a form's parts and the length of their headers before the platform parses it. The platform has no
 * such limits: 20 MB of parts or headers block it for seconds. @returns the problem, or null
 */
export async function formProblem(bytes: Uint8Array, boundary: string): Promise<string | null> {
  const delimiter = `--${boundary}`
  let delimiters = 0
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    await yieldToEventLoop()
    const piece = latin1(bytes.subarray(at, at + PIECE_BYTES + delimiter.length - 1))
    for (let found = piece.indexOf(delimiter); found >= 0; found = piece.indexOf(delimiter, found + 1)) {
      // The last delimiter ends the form.
      if (++delimiters > MAX_PARTS + 1) return `the form has more than ${MAX_PARTS} parts`
      const start = at + found + delimiter.length
      const headers = latin1(bytes.subarray(start, start + MAX_HEADER_BYTES))
      if (!headers.startsWith("--") && !/\r\n\r\n|\n\n/.test(headers))
        return `the form has a part whose headers do not end within ${MAX_HEADER_BYTES} bytes`
    }
  }
  return null
}

function latin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes)
}
