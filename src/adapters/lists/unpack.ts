import { Unzip, type UnzipFile, UnzipPassThrough } from "fflate/browser"
import { Inflate } from "pako"
import { yieldToEventLoop } from "../../concurrency/yield-to-event-loop.ts"
import { TABLE_LIMITS } from "../../domain/lists/uploaded-file.ts"
import { partName } from "../../domain/lists/xlsx.ts"
import { AppError, tooLarge } from "../../errors.ts"
import { type ReadMeter, unreadable } from "./read-limits.ts"

/** The bytes of one unpacked file, in chunks. */
export type Part = readonly Uint8Array[]

/** A packed file. Its bytes are views of the archive. */
interface Entry {
  readonly compression: number
  /** Unpacked bytes as the archive declares them, 0 when it does not. */
  readonly declared: number
  readonly pieces: Uint8Array[]
  packed: number
  isTwice: boolean
}

/** One chunk can inflate to a thousand times its size before the limits are checked. */
const PIECE_BYTES = 4_096
/** Packed and unpacked bytes after which other requests can run: about 10 ms of hostile input. */
const BUDGET = { packed: 32_768, unpacked: 1_000_000 }
const [STORED, DEFLATED] = [0, 8]

class DeflatedPassThrough extends UnzipPassThrough {
  static override compression = DEFLATED
}

/** Lists the files of an archive and unpacks none. @throws AppError payload_too_large, invalid, rate_limited */
export async function scanArchive(bytes: Uint8Array, meter: ReadMeter): Promise<Archive> {
  const entries = new Map<string, Entry>()
  let files = 0
  const unzip = new Unzip((file) => {
    if (++files > TABLE_LIMITS.entries)
      throw new AppError(
        "list_too_large",
        `a workbook may have at most ${TABLE_LIMITS.entries} files; delete its pictures, or save the list as CSV`,
      )
    collect(file, entries)
  })
  for (const decoder of [UnzipPassThrough, DeflatedPassThrough]) unzip.register(decoder)
  for (let at = 0, budgetStart = 0; at < bytes.length; at += PIECE_BYTES) {
    const end = Math.min(at + PIECE_BYTES, bytes.length)
    push(unzip, bytes.subarray(at, end), end === bytes.length)
    if (end < bytes.length && end - budgetStart < BUDGET.packed) continue
    await meter.add({ bytes: end - budgetStart })
    budgetStart = end
    await yieldToEventLoop()
  }
  return new Archive(entries, meter, bytes.length)
}

function push(unzip: Unzip, piece: Uint8Array, isLast: boolean): void {
  try {
    unzip.push(piece, isLast)
  } catch (error) {
    throw error instanceof AppError ? error : damaged()
  }
}

function collect(file: UnzipFile, entries: Map<string, Entry>): void {
  const { compression, originalSize: declared = 0 } = file
  const name = partName(file.name)
  const existing = entries.get(name)
  if (existing) existing.isTwice = true
  const entry: Entry = { compression, declared, pieces: [], packed: 0, isTwice: false }
  if (!existing) entries.set(name, entry)
  // A file that no decoder takes is an error only when it is read.
  if (compression !== STORED && compression !== DEFLATED) return
  file.ondata = (_, piece) => {
    entry.pieces.push(piece)
    entry.packed += piece.length
  }
  file.start()
}

/**
 * The files of an archive by the names of their parts. Unpacks only what is asked for, and stops at the first sign of a
 * zip bomb. The limits cover declared sizes, unpacked sizes and their ratio to the packed sizes, over all parts that are
 * read. Other files add nothing, so that a picture allows no more. Parsing takes 20 times as long as unpacking.
 */
export class Archive {
  readonly #entries: ReadonlyMap<string, Entry>
  readonly #meter: ReadMeter
  readonly #complete = new Map<string, Part>()
  /** Bytes that the meter knows. */
  #counted: number
  #declared = 0
  #unpacked = 0
  /** A file that is not compressed adds to neither of them. */
  #packed = 0
  #inflated = 0

  constructor(entries: ReadonlyMap<string, Entry>, meter: ReadMeter, counted: number) {
    this.#entries = entries
    this.#meter = meter
    this.#counted = counted
  }

  /** @param name as `partName` gives it */
  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** Unpacks the parts that the archive has. @throws AppError payload_too_large, invalid or rate_limited */
  async unpack(names: readonly string[]): Promise<ReadonlyMap<string, Part>> {
    const wanted = new Set(names.filter((name) => this.has(name) && !this.#complete.has(name)))
    for (const name of wanted) this.#announce(this.#entries.get(name)!)
    for (const name of wanted) this.#complete.set(name, await this.#unpackOne(this.#entries.get(name)!))
    return this.#complete
  }

  #announce({ compression, declared, packed, isTwice }: Entry): void {
    if (isTwice) throw unreadable("the workbook holds the same part twice")
    if (compression !== STORED && compression !== DEFLATED) throw damaged()
    this.#declared += declared
    if (this.#declared > TABLE_LIMITS.bytes) throw tooBig()
    if (compression === DEFLATED) this.#packed += packed
  }

  async #unpackOne({ compression, pieces }: Entry): Promise<Part> {
    const part: Uint8Array[] = []
    const inflater = compression === DEFLATED ? inflaterInto((piece) => this.#inflate(part, piece)) : null
    let [packedBefore, unpackedBefore] = [0, this.#unpacked]
    for (const [index, piece] of pieces.entries()) {
      if (inflater) inflater(piece, index === pieces.length - 1)
      else this.#add(part, piece)
      packedBefore += piece.length
      if (packedBefore < BUDGET.packed && this.#unpacked - unpackedBefore < BUDGET.unpacked) continue
      packedBefore = 0
      unpackedBefore = this.#unpacked
      await this.#count()
    }
    await this.#count()
    return part
  }

  #inflate(part: Uint8Array[], piece: Uint8Array): void {
    this.#inflated += piece.length
    if (this.#inflated > Math.max(TABLE_LIMITS.anyRatioBytes, TABLE_LIMITS.ratio * this.#packed))
      throw new AppError(
        "list_too_large",
        `a workbook may unpack to at most ${TABLE_LIMITS.ratio} times its size; delete empty rows and columns, or save it as CSV`,
      )
    this.#add(part, piece)
  }

  #add(part: Uint8Array[], piece: Uint8Array): void {
    this.#unpacked += piece.length
    if (this.#unpacked > TABLE_LIMITS.bytes) throw tooBig()
    part.push(piece)
  }

  /** Counts the unpacked bytes beyond the size of the file, since small blocks take long and unpack to little. */
  async #count(): Promise<void> {
    const more = this.#unpacked - this.#counted
    if (more > 0) {
      this.#counted += more
      await this.#meter.add({ bytes: more })
    }
    await yieldToEventLoop()
  }
}

/** Inflates with pako. A file of 31-byte blocks costs fflate 200 times the CPU: 20 MB take three minutes. */
function inflaterInto(take: (piece: Uint8Array) => void): (packed: Uint8Array, isLast: boolean) => void {
  const inflate = new Inflate({ raw: true })
  inflate.onData = take
  inflate.onEnd = () => undefined
  return (packed, isLast) => {
    inflate.push(packed, isLast)
    if (inflate.err !== 0) throw damaged()
  }
}

function damaged(): AppError {
  return unreadable("the file is not a well-formed Excel workbook")
}

function tooBig(): AppError {
  return tooLarge(`a workbook may unpack to at most ${TABLE_LIMITS.bytes} bytes`)
}
