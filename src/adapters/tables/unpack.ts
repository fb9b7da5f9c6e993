import { Unzip, type UnzipDecoder, type UnzipFile } from "fflate/browser"
import { Inflate } from "pako"
import { yieldToEventLoop } from "../../concurrency/yield-to-event-loop.ts"
import { TABLE_LIMITS } from "../../domain/bulk/table-limits.ts"
import { AppError, tooLarge } from "../../errors.ts"
import type { ReadMeter } from "./read-meter.ts"
import { unreadable } from "./table-problem.ts"

/** The bytes of one unpacked file, in chunks. */
export type Part = readonly Uint8Array[]
export type Parts = ReadonlyMap<string, Part>

/** One chunk can inflate to a thousand times its size before the limits are checked. */
const PIECE_BYTES = 4_096
/** Packed and unpacked bytes after which other requests can run: about 10 ms of hostile input. */
const TURN = { packed: 32_768, unpacked: 1_000_000 }

/**
 * Unpacks the XML files of a workbook in one pass, and stops at the first sign of a zip bomb. The limits cover declared
 * sizes, unpacked sizes, their ratio to the packed sizes and the number of files, over all files together.
 * @throws AppError payload_too_large beyond the limits, invalid for a file that is not a workbook, rate_limited
 */
export async function unpackWorkbook(bytes: Uint8Array, meter: ReadMeter): Promise<Parts> {
  const parts = new PartCollector()
  const unzip = new Unzip((file) => parts.add(file))
  unzip.register(inflaterFor(parts))
  let [turnStart, turnUnpacked, counted] = [0, 0, 0]
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const isLast = at + PIECE_BYTES >= bytes.length
    push(unzip, bytes.subarray(at, at + PIECE_BYTES), isLast)
    if (!isLast && at - turnStart < TURN.packed && parts.unpacked - turnUnpacked < TURN.unpacked) continue
    // The whole file bounds what is packed, until the end names it.
    parts.checkRatio(bytes.length)
    // Small blocks take long and unpack to little.
    const read = Math.max(at + PIECE_BYTES, parts.unpacked)
    await meter.add({ bytes: read - counted })
    counted = read
    turnStart = at
    turnUnpacked = parts.unpacked
    await yieldToEventLoop()
  }
  parts.checkRatio(parts.packed)
  return parts.complete
}

function push(unzip: Unzip, piece: Uint8Array, isLast: boolean): void {
  try {
    unzip.push(piece, isLast)
  } catch (error) {
    throw isRefusal(error) ? error : unreadable("the file is not a well-formed Excel workbook")
  }
}

/** Collects the XML files of an archive and counts their bytes. */
class PartCollector {
  readonly complete = new Map<string, Part>()
  unpacked = 0
  /** Compressed bytes of these files. A file that is not compressed has none, and adds no ratio. */
  packed = 0
  inflated = 0
  #entries = 0
  #declared = 0

  add(file: UnzipFile): void {
    this.#entries++
    this.#declared += file.originalSize ?? 0
    if (this.#entries > TABLE_LIMITS.entries || this.#declared > TABLE_LIMITS.bytes) throw tooBig()
    if (!/\.(xml|rels)$/.test(file.name)) return
    if (this.complete.has(file.name)) throw unreadable("the workbook holds the same part twice")
    const pieces: Uint8Array[] = []
    file.ondata = (error, piece, isLast) => {
      if (error) throw error
      this.unpacked += piece.length
      if (this.unpacked > TABLE_LIMITS.bytes) throw tooBig()
      pieces.push(piece)
      if (isLast) this.complete.set(file.name, pieces)
    }
    file.start()
  }

  /**
   * At the end, only the files that are read count, so that an added picture allows no more. Parsing them takes 20 times
   * as long as unpacking them.
   */
  checkRatio(packed: number): void {
    const most = Math.max(TABLE_LIMITS.anyRatioBytes, TABLE_LIMITS.ratio * packed)
    if (this.inflated > most)
      throw new AppError(
        "payload_too_large",
        `a workbook may unpack to at most ${TABLE_LIMITS.ratio} times its size; delete empty rows and columns, or save it as CSV`,
      )
  }
}

/** The decoder of an archive. It counts into `total`. */
function inflaterFor(total: { packed: number; inflated: number }) {
  return class extends Inflater {
    constructor() {
      super(total)
    }
  }
}

/**
 * Inflates with pako. The decoder of fflate builds tables of 2^15 entries for each block.
 * A file of 31-byte blocks costs fflate 200 times the CPU of an ordinary file; 20 MB take three minutes.
 */
class Inflater implements UnzipDecoder {
  static readonly compression = 8
  ondata: UnzipDecoder["ondata"] = () => undefined
  readonly #inflate = new Inflate({ raw: true })
  readonly #total: { packed: number; inflated: number }

  constructor(total: { packed: number; inflated: number }) {
    this.#total = total
    this.#inflate.onData = (piece) => {
      total.inflated += piece.length
      this.ondata(null, piece, false)
    }
    this.#inflate.onEnd = () => undefined
  }

  push(data: Uint8Array, isLast: boolean): void {
    this.#total.packed += data.length
    this.#inflate.push(data, isLast)
    if (this.#inflate.err !== 0) throw new Error(this.#inflate.msg)
    if (isLast) this.ondata(null, new Uint8Array(0), true)
  }
}

function tooBig() {
  return tooLarge(`a workbook may unpack to at most ${TABLE_LIMITS.bytes} bytes in ${TABLE_LIMITS.entries} files`)
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === "AppError"
}
