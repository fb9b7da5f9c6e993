import { Unzip, type UnzipFile, UnzipInflate } from "fflate/browser"
import { TABLE_LIMITS } from "../../domain/tables/limits.ts"
import { tooLarge, unreadable } from "./table-problem.ts"

/** A thousand times as much may come out of it before it is looked at. */
const PIECE_BYTES = 4_096

/**
 * The XML parts of a workbook, unpacked in one streaming pass that ends at the first sign of a zip bomb: sizes are
 * bounded as declared and as they come out, of all files together, and so is their number.
 * @throws AppError payload_too_large beyond the bounds, invalid for what is no workbook
 */
export function unpackWorkbook(bytes: Uint8Array): Record<string, Uint8Array> {
  const parts: Record<string, Uint8Array> = Object.create(null)
  let entries = 0
  let declared = 0
  let inflated = 0
  const unzip = new Unzip((file) => {
    entries++
    declared += file.originalSize ?? 0
    if (entries > TABLE_LIMITS.entries || declared > TABLE_LIMITS.bytes) throw tooBig()
    if (!/\.(xml|rels)$/.test(file.name)) return
    if (file.name in parts) throw unreadable("the workbook holds the same part twice")
    collect(file, {
      onBytes: (count) => {
        inflated += count
        if (inflated > TABLE_LIMITS.bytes) throw tooBig()
      },
      onEnd: (part) => {
        parts[file.name] = part
      },
    })
  })
  unzip.register(UnzipInflate)
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES)
      unzip.push(bytes.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES >= bytes.length)
  } catch (error) {
    throw isRefusal(error) ? error : unreadable("the file is not a well-formed Excel workbook")
  }
  return parts
}

interface Sink {
  readonly onBytes: (count: number) => void
  readonly onEnd: (part: Uint8Array) => void
}

function collect(file: UnzipFile, { onBytes, onEnd }: Sink): void {
  const pieces: Uint8Array[] = []
  file.ondata = (error, piece, isLast) => {
    if (error) throw error
    onBytes(piece.length)
    pieces.push(piece)
    if (isLast) onEnd(join(pieces))
  }
  file.start()
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

function tooBig() {
  return tooLarge(`a workbook may unpack to at most ${TABLE_LIMITS.bytes} bytes in ${TABLE_LIMITS.entries} files`)
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === "AppError"
}
