import { type Delimiter, declaredDelimiter, findDelimiter } from "../../domain/bulk/delimiter.ts"
import { type Encoding, findEncoding } from "../../domain/bulk/encoding.ts"
import { TABLE_LIMITS } from "../../domain/bulk/table-limits.ts"
import { tooLarge } from "../../errors.ts"
import { readCsv } from "./csv.ts"
import { decodePieces } from "./decode.ts"
import { type ReadMeter, UNCOUNTED } from "./read-meter.ts"
import { unreadable } from "./table-problem.ts"

export interface Table {
  readonly format: "csv" | "txt" | "xlsx"
  /** Null for a workbook. */
  readonly encoding: Encoding | null
  /** Null for a table of one column, and for a workbook. */
  readonly delimiter: Delimiter | null
  /** The file begins with a byte order mark. */
  readonly hasBom: boolean
  /** The records in order, without blank ones. Throws AppError at the first record that cannot be read. */
  readonly records: AsyncIterable<readonly string[]>
}

/** The first bytes of a ZIP archive ("PK\\3\\4") and of an Excel 97 file. */
const ZIP = [0x50, 0x4b, 0x03, 0x04]
const OLE = [0xd0, 0xcf, 0x11, 0xe0]
const SAMPLE_BYTES = 65_536

/**
 * Opens an uploaded list. The content decides the format, not the file name or media type.
 * @param isText the file is declared as plain text: commas are no delimiters
 * @param meter counts the work, and may end it
 * @throws AppError invalid, payload_too_large or rate_limited
 */
export async function openTable(bytes: Uint8Array, isText: boolean, meter: ReadMeter = UNCOUNTED): Promise<Table> {
  if (bytes.length > TABLE_LIMITS.bytes) throw tooLarge(`a file may have at most ${TABLE_LIMITS.bytes} bytes`)
  if (startsWith(bytes, OLE)) throw unreadable("this is an Excel 97 file (.xls); save it as .xlsx or CSV")
  if (startsWith(bytes, ZIP)) {
    // Few uploads are workbooks, and their reader is a tenth of the Worker's code.
    const { readSheet } = await import("./workbook.ts")
    return { format: "xlsx", encoding: null, delimiter: null, hasBom: false, records: await readSheet(bytes, meter) }
  }
  const found = findEncoding(bytes)
  const [sample = ""] = decodePieces(bytes.subarray(0, found.bomLength + SAMPLE_BYTES), found)
  if (sample.includes("\u0000")) throw unreadable("the file is neither text nor an Excel workbook (.xlsx)")
  const declared = declaredDelimiter(sample)
  const delimiter = declared ?? findDelimiter(sample, isText ? ["\t"] : undefined)
  const all = readCsv(decodePieces(bytes, found), delimiter, meter)
  const records = declared ? withoutFirst(all) : all
  const hasBom = found.bomLength > 0
  return { format: isText ? "txt" : "csv", encoding: found.encoding, delimiter, hasBom, records }
}

function startsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, i) => bytes[i] === byte)
}

async function* withoutFirst<T>(records: AsyncGenerator<T>): AsyncGenerator<T> {
  await records.next()
  yield* records
}
