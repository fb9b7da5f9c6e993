import { type Delimiter, declaredDelimiter, findDelimiter } from "../../domain/tables/delimiter.ts"
import { type Encoding, findEncoding } from "../../domain/tables/encoding.ts"
import { TABLE_LIMITS } from "../../domain/tables/limits.ts"
import { readCsv } from "./csv.ts"
import { decodePieces } from "./decode.ts"
import { tooLarge, unreadable } from "./table-problem.ts"
import { readSheet } from "./workbook.ts"

export interface Table {
  readonly format: "csv" | "txt" | "xlsx"
  /** Null for a workbook. */
  readonly encoding: Encoding | null
  /** Null for a table of one column, and for a workbook. */
  readonly delimiter: Delimiter | null
  /** One record after the other, blank ones left out. Throws AppError where the file is no table any more. */
  readonly records: AsyncIterable<readonly string[]>
}

/** "PK\3\4", and the compound file of Excel 97. */
const ZIP = [0x50, 0x4b, 0x03, 0x04]
const OLE = [0xd0, 0xcf, 0x11, 0xe0]
const SAMPLE_BYTES = 65_536

/**
 * Opens an uploaded list by what is in it, not by what it calls itself.
 * @param isText it is said to be text: then commas stay together
 * @throws AppError invalid or payload_too_large
 */
export async function openTable(bytes: Uint8Array, isText: boolean): Promise<Table> {
  if (bytes.length > TABLE_LIMITS.bytes) throw tooLarge(`a file may have at most ${TABLE_LIMITS.bytes} bytes`)
  if (startsWith(bytes, OLE)) throw unreadable("this is an Excel 97 file (.xls); save it as .xlsx or CSV")
  if (startsWith(bytes, ZIP))
    return { format: "xlsx", encoding: null, delimiter: null, records: iterate(await readSheet(bytes)) }
  const found = findEncoding(bytes)
  const [sample = ""] = decodePieces(bytes.subarray(0, found.bomLength + SAMPLE_BYTES), found)
  if (sample.includes("\u0000")) throw unreadable("the file is neither text nor an Excel workbook (.xlsx)")
  const declared = declaredDelimiter(sample)
  const delimiter = declared ?? findDelimiter(sample, isText ? ["\t"] : undefined)
  const records = readCsv(decodePieces(bytes, found), delimiter, declared ? 2 : 1)
  return { format: isText ? "txt" : "csv", encoding: found.encoding, delimiter, records }
}

function startsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, i) => bytes[i] === byte)
}

async function* iterate<T>(list: readonly T[]): AsyncGenerator<T> {
  yield* list
}
