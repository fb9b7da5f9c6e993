import { FairSlots } from "../../concurrency/fair-limiter.ts"
import { yieldToEventLoop } from "../../concurrency/yield-to-event-loop.ts"
import {
  type CsvProblem,
  CsvReader,
  csvProblemText,
  type Delimiter,
  type Dialect,
  declaredDelimiter,
} from "../../domain/lists/csv-reader.ts"
import { type DownloadTable, restoredCell } from "../../domain/lists/download.ts"
import { findDialect } from "../../domain/lists/find-dialect.ts"
import { type FoundEncoding, findEncoding, foreignFormat, TABLE_LIMITS } from "../../domain/lists/uploaded-file.ts"
import { AppError, invalidField, tooLarge } from "../../errors.ts"
import { COMPOUND_FILE, compoundFileProblem } from "./office-formats.ts"
import { type ReadMeter, UNCOUNTED, unreadable } from "./read-limits.ts"
import type { OtherSheet } from "./workbook.ts"

/** Reads uploaded files, and writes workbooks. */
export interface Tables {
  /** One file or list at a time for each caller. */
  readonly slots: FairSlots
  open(bytes: Uint8Array, options: TableOptions, meter: ReadMeter): Promise<Table>
  writeWorkbook(table: Pick<DownloadTable, "columns" | "pages">): AsyncGenerator<Uint8Array>
}

export const TABLES: Tables = {
  // The largest file takes one to two seconds, or longer while its rows are stored.
  slots: new FairSlots({ waitMs: 20_000, waiting: 2, leaseMs: 30_000 }),
  open: openTable,
  async *writeWorkbook(table) {
    // As for its reader, few isolates need it.
    const { writeWorkbook } = await import("./write-workbook.ts")
    yield* writeWorkbook(table)
  },
}

/** What the caller says about a file. */
export interface TableOptions {
  /** The file is declared as plain text, whose lines may have commas that separate nothing. */
  readonly isText: boolean
  /** Name or number, from 1, of the sheet to read, null to choose it. */
  readonly sheet: string | null
  /** Name or number, from 1, of the address column, null to find it. A sheet with it is preferred. */
  readonly column: string | null
  /** Label of the text's encoding (WHATWG Encoding §4.2), null to detect it. */
  readonly encoding: string | null
}

export interface Table {
  readonly format: "csv" | "txt" | "xlsx"
  /** Null for a workbook. */
  readonly encoding: string | null
  /** Null for a table of one column, and for a workbook. */
  readonly delimiter: Delimiter | null
  /** The file begins with a byte order mark. */
  readonly hasBom: boolean
  /** The name of the sheet that is read. Null for a text. */
  readonly sheet: string | null
  /** Further sheets of a workbook with addresses in their first rows. */
  readonly otherSheets: readonly OtherSheet[]
  /** Lines above the first record that are no records: a declared delimiter. */
  readonly linesBefore: number
  /** Characters that could not be read so far. They are U+FFFD in the records. */
  readonly unreadable: () => number
  /** The records in order, without blank ones. Throws AppError at the first record that cannot be read. */
  readonly records: AsyncIterable<readonly string[]>
}

/** The first bytes of a ZIP archive ("PK\\3\\4"). */
const ZIP = [0x50, 0x4b, 0x03, 0x04]
const SAMPLE_BYTES = 65_536

/**
 * Opens an uploaded list. The content decides the format, not the file name or media type.
 * @param meter counts the work, and may end it
 * @throws AppError invalid, payload_too_large or rate_limited
 */
export async function openTable(
  bytes: Uint8Array,
  options: TableOptions,
  meter: ReadMeter = UNCOUNTED,
): Promise<Table> {
  if (bytes.length > TABLE_LIMITS.bytes) throw tooLarge(`a file may have at most ${TABLE_LIMITS.bytes} bytes`)
  if (startsWith(bytes, COMPOUND_FILE)) throw compoundFileProblem(bytes)
  if (startsWith(bytes, ZIP)) {
    // Few uploads are workbooks, and their reader is a tenth of the Worker's code.
    const { readSheet } = await import("./workbook.ts")
    const read = await readSheet(bytes, options, meter)
    return {
      format: "xlsx",
      encoding: null,
      delimiter: null,
      hasBom: false,
      linesBefore: 0,
      unreadable: () => 0,
      ...read,
    }
  }
  if (options.sheet !== null) throw invalidField(["sheet"], "the file is not a workbook, so it has no sheets")
  return openText(bytes, options, meter)
}

function openText(bytes: Uint8Array, { isText, encoding }: TableOptions, meter: ReadMeter): Table {
  const found = encoding === null ? findEncoding(bytes) : namedEncoding(bytes, encoding)
  const [sample = ""] = new TextPieces(bytes.subarray(0, SAMPLE_BYTES), found ?? NEUTRAL)
  const foreign = foreignFormat(sample)
  if (foreign) throw unreadable(`this is ${foreign}; save the list as .xlsx, CSV or text with an address on each line`)
  if (!found)
    throw unreadable(
      "the text is neither UTF-8 nor Windows-1252; save it as UTF-8, or name its encoding, for example encoding=shift_jis",
    )
  const pieces = new TextPieces(bytes, found)
  const declared = declaredDelimiter(sample)
  const dialect = findDialect({ text: sample, isText, declared })
  const all = readCsv(pieces, dialect, meter)
  return {
    format: isText ? "txt" : "csv",
    encoding: found.encoding,
    delimiter: dialect.isList ? null : dialect.delimiter,
    hasBom: found.bomLength > 0,
    sheet: null,
    otherSheets: [],
    linesBefore: declared ? 1 : 0,
    unreadable: () => pieces.unreadable,
    records: declared ? withoutFirst(all) : all,
  }
}

/** Shows the ASCII characters of a text in an unknown encoding. */
const NEUTRAL: FoundEncoding = { encoding: "windows-1252", bomLength: 0 }

/** @throws AppError invalid for a label that is no encoding */
function namedEncoding(bytes: Uint8Array, label: string): FoundEncoding {
  try {
    const { encoding } = new TextDecoder(label)
    const detected = findEncoding(bytes)
    // A byte order mark is certain (WHATWG Encoding §6).
    return detected && detected.bomLength > 0 ? detected : { encoding, bomLength: 0 }
  } catch {
    throw invalidField(
      ["encoding"],
      "is no encoding that is known here; write, for example, utf-8, windows-1251 or shift_jis",
    )
  }
}

function startsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, i) => bytes[i] === byte)
}

async function* withoutFirst<T>(records: AsyncGenerator<T>): AsyncGenerator<T> {
  await records.next()
  yield* records
}

/**
 * Yields the records of a CSV text, without the apostrophes that a download adds. Between two pieces, other requests can run.
 * @param pieces chunks of at most 65,536 characters
 * @throws AppError invalid for an open quote or an oversized record, with its line; payload_too_large, rate_limited
 */
async function* readCsv(pieces: Iterable<string>, dialect: Dialect, meter: ReadMeter): AsyncGenerator<string[]> {
  const reader = new CsvReader(dialect)
  for (const piece of pieces) {
    await yieldToEventLoop()
    const records = reader.push(piece)
    await meter.add({ bytes: piece.length, rows: records.length })
    for (const record of records) yield record.map(restoredCell)
    if (reader.problem) throw refusalOf(reader.problem)
  }
  for (const record of reader.end()) yield record.map(restoredCell)
  if (reader.problem) throw refusalOf(reader.problem)
}

function refusalOf(problem: CsvProblem): AppError {
  const text = csvProblemText(problem)
  if (problem.kind !== "too_many_columns") return unreadable(text)
  return new AppError("list_too_large", `${text}; delete those that you do not need`)
}

const PIECE_BYTES = 65_536
const UNREADABLE = "\ufffd"

/** Decodes the bytes of a text in pieces, so that the whole text is never in memory. */
class TextPieces {
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
