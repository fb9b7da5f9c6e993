/** Encoding of a text file. Latin-1 files are read as Windows-1252, as in browsers. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252"

export interface FoundEncoding {
  readonly encoding: Encoding
  /** Length of the byte order mark in bytes. */
  readonly bomLength: number
}

const MARKS: readonly (readonly [Encoding, readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
]
/** Bytes to search for the zeros of UTF-16. */
const SAMPLE = 1_024

/** Detects the encoding by its byte order mark, by the zeros of Latin text in UTF-16, or by valid UTF-8. */
export function findEncoding(bytes: Uint8Array): FoundEncoding {
  for (const [encoding, mark] of MARKS)
    if (mark.every((byte, i) => bytes[i] === byte)) return { encoding, bomLength: mark.length }
  const zeros = [0, 0]
  const length = Math.min(bytes.length, SAMPLE)
  for (let i = 0; i < length; i++) if (bytes[i] === 0) zeros[i % 2]!++
  const [even, odd] = zeros as [number, number]
  if (odd * 4 > length && even * 20 < odd) return { encoding: "utf-16le", bomLength: 0 }
  if (even * 4 > length && odd * 20 < even) return { encoding: "utf-16be", bomLength: 0 }
  return { encoding: isUtf8(bytes) ? "utf-8" : "windows-1252", bomLength: 0 }
}

function isUtf8(bytes: Uint8Array): boolean {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false })
  const PIECE = 65_536
  try {
    for (let at = 0; at < bytes.length; at += PIECE) decoder.decode(bytes.subarray(at, at + PIECE), { stream: true })
    decoder.decode()
    return true
  } catch {
    return false
  }
}
