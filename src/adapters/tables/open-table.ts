import { type Delimiter, declaredDelimiter } from "../../domain/lists/csv-reader.ts"
import { findDialect } from "../../domain/lists/find-dialect.ts"
import { type FoundEncoding, findEncoding, foreignFormat, TABLE_LIMITS } from "../../domain/lists/uploaded-file.ts"
import { invalidField, tooLarge } from "../../errors.ts"
import { readCsv } from "./csv.ts"
import { TextPieces } from "./decode.ts"
import { COMPOUND_FILE, compoundFileProblem } from "./office-formats.ts"
import { type ReadMeter, UNCOUNTED } from "./read-meter.ts"
import { unreadable } from "./table-problem.ts"
import type { OtherSheet } from "./workbook.ts"

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
    ...{ sheet: null, otherSheets: [] },
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
