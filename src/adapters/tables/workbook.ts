import { zipSync } from "fflate/browser"
import readWorkbook from "read-excel-file/universal"
import { findEmailColumn, findKnownColumn, holdsAddress } from "../../domain/tables/email-column.ts"
import { TABLE_LIMITS } from "../../domain/tables/limits.ts"
import { extentOf } from "../../domain/tables/sheet-extent.ts"
import { tooLarge, unreadable } from "./table-problem.ts"
import { unpackWorkbook } from "./unpack.ts"

/** Records looked at to see whether a sheet is the one with the addresses. */
const SAMPLE = 100

/** What tells the sheet with the addresses, the surest first: a sheet of prose is one column too, and may speak of email. */
const SIGNS = [
  holdsAddress,
  (records: readonly string[][]) => findKnownColumn(records) !== null,
  (records: readonly string[][]) => findEmailColumn(records) !== null,
]

/**
 * The records of a workbook's first sheet with addresses (of its first sheet when nothing tells): values as text,
 * of formulas the value last computed.
 * @throws AppError payload_too_large or invalid, before a cell is read when the file is a bomb
 */
export async function readSheet(bytes: Uint8Array): Promise<string[][]> {
  const parts = unpackWorkbook(bytes)
  if (!("xl/workbook.xml" in parts)) throw unreadable("the file is not an Excel workbook (.xlsx)")
  checkExtents(parts)
  // Packed anew, so that what was looked at is what is read, whatever a second directory of the file says.
  const checked = zipSync(parts, { level: 0 })
  const sheets = await readAll(checked.buffer as ArrayBuffer)
  const tables = sheets.map(({ data }) =>
    data.map((row) => row.map(textOf)).filter((record) => record.some((cell) => cell !== "")),
  )
  return withAddresses(tables) ?? tables[0] ?? []
}

function withAddresses(tables: readonly string[][][]): string[][] | undefined {
  for (const isSign of SIGNS) {
    const table = tables.find((records) => isSign(records.slice(0, SAMPLE)))
    if (table) return table
  }
  return undefined
}

function checkExtents(parts: Readonly<Record<string, Uint8Array>>): void {
  const decoder = new TextDecoder()
  let cells = 0
  for (const [name, part] of Object.entries(parts)) {
    if (!name.startsWith("xl/worksheets/") || !name.endsWith(".xml")) continue
    const extent = extentOf(decoder.decode(part))
    if (!extent) throw unreadable("a cell of the workbook has a malformed reference")
    cells += extent.rows * Math.max(1, extent.columns)
    if (extent.columns > TABLE_LIMITS.columns || cells > TABLE_LIMITS.cells)
      throw tooLarge(`a sheet may have at most ${TABLE_LIMITS.columns} columns and ${TABLE_LIMITS.cells} cells`)
  }
}

async function readAll(file: ArrayBuffer) {
  try {
    return await readWorkbook<string>(file, { parseNumber: (text: string) => text })
  } catch {
    throw unreadable("the file is not a well-formed Excel workbook")
  }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ""
  return value instanceof Date ? value.toISOString().replace(/T00:00:00\.000Z$/, "") : String(value)
}
