import { yieldToEventLoop } from "../../concurrency/yield-to-event-loop.ts"
import { countAddresses, findColumns } from "../../domain/bulk/find-columns.ts"
import { takeSample } from "../../domain/bulk/take-sample.ts"
import { CellCounter, type ReadMeter } from "./read-meter.ts"
import { readRows } from "./sheet-rows.ts"
import { unpackWorkbook } from "./unpack.ts"
import { readParts, type Workbook } from "./workbook-parts.ts"

/** Why a sheet may hold the addresses, strongest first. Prose is also one column and may mention email. */
type Sign = "address" | "known_column" | "none"

interface Sheet {
  readonly sign: Sign
  readonly sample: readonly string[][]
  readonly rest: AsyncIterable<string[]>
}

/**
 * The records of the first sheet with addresses, else of the first sheet. A formula gives its last computed value.
 * Errors inside the sheet are thrown when its records are read.
 * @throws AppError payload_too_large, invalid or rate_limited; a zip bomb fails before any cell is read
 */
export async function readSheet(bytes: Uint8Array, meter: ReadMeter): Promise<AsyncIterable<string[]>> {
  return recordsOf(await findSheet(await readParts(await unpackWorkbook(bytes, meter)), meter))
}

async function findSheet(workbook: Workbook, meter: ReadMeter): Promise<Sheet | undefined> {
  const sheets: Sheet[] = []
  const counter = new CellCounter(meter)
  for (const [index, part] of workbook.sheets.entries()) {
    const rest = readRows(part, { what: `sheet ${index + 1}`, workbook, counter })
    const sample = await takeSample(rest)
    const sheet = { sign: await signOf(sample), sample, rest }
    if (sheet.sign === "address") return sheet
    sheets.push(sheet)
  }
  return sheets.find(({ sign }) => sign === "known_column") ?? sheets[0]
}

async function signOf(sample: readonly string[][]): Promise<Sign> {
  if (countAddresses(sample) > 0) return "address"
  await yieldToEventLoop()
  return findColumns(sample, null) ? "known_column" : "none"
}

async function* recordsOf(sheet: Sheet | undefined): AsyncGenerator<string[]> {
  if (!sheet) return
  yield* sheet.sample
  await yieldToEventLoop()
  yield* sheet.rest
}
