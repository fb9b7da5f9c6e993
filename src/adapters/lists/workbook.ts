import { yieldToEventLoop } from "../../concurrency/yield-to-event-loop.ts"
import { countAddresses, findColumns } from "../../domain/lists/find-columns.ts"
import { takeSample } from "../../domain/lists/uploaded-file.ts"
import { hasColumn, isPreferred, type SheetTraits } from "../../domain/lists/xlsx.ts"
import { AppError } from "../../errors.ts"
import { CellCounter, type ReadMeter, unreadable } from "./read-limits.ts"
import { type Row, SheetReader } from "./sheet-rows.ts"
import { scanArchive } from "./unpack.ts"
import { type ListedSheet, readWorkbook, type Workbook } from "./workbook-parts.ts"

/** A sheet with addresses in its first rows that is not read. */
export interface OtherSheet {
  readonly name: string
  /** Distinct addresses in the first rows of its best column. */
  readonly addresses: number
  readonly isHidden: boolean
}

export interface ReadSheet {
  /** The name of the sheet. */
  readonly sheet: string
  readonly otherSheets: readonly OtherSheet[]
  readonly records: AsyncIterable<string[]>
}

/** The caller's choice of a sheet: its name or number from 1, and the address column that it must have. */
export interface SheetOptions {
  readonly sheet: string | null
  readonly column: string | null
}

interface Inspected extends SheetTraits {
  readonly asOther: OtherSheet
  readonly reader: SheetReader
  readonly first: readonly Row[]
}

/**
 * Opens the sheet that the caller names, else the one that the first rows prefer. A formula gives its last computed
 * value. Errors beyond the first rows of the sheet are thrown when its records are read.
 * @throws AppError payload_too_large, invalid or rate_limited; a zip bomb fails before any cell is read
 */
export async function readSheet(bytes: Uint8Array, options: SheetOptions, meter: ReadMeter): Promise<ReadSheet> {
  const workbook = await readWorkbook(await scanArchive(bytes, meter), options.sheet)
  const counter = new CellCounter(meter)
  const withAddresses: OtherSheet[] = []
  // Only the best sheet so far stays in memory.
  let best: Inspected | null = null
  let failure: unknown = null
  for (const listed of workbook.sheets) {
    try {
      const found = await inspect(listed, { workbook, counter, column: options.column })
      if (found.addresses > 0) withAddresses.push(found.asOther)
      const isBest = workbook.named ? listed === workbook.named : !best || isPreferred(found, best)
      if (isBest) best = found
    } catch (error) {
      if (isDecisive(listed, workbook, error)) throw withWayOut(error, workbook)
      failure = error
    }
  }
  if (best) {
    const { asOther, reader, first } = best
    const otherSheets = withAddresses.filter((sheet) => sheet !== asOther)
    return { sheet: asOther.name, otherSheets, records: reader.records(first) }
  }
  throw failure
}

async function inspect(
  { name, number, isHidden, part }: ListedSheet,
  { workbook, counter, column }: { workbook: Workbook; counter: CellCounter; column: string | null },
): Promise<Inspected> {
  const what = `sheet ${number}`
  if (!part) throw unreadable(`${what} of the workbook is missing in the file`)
  const reader = new SheetReader(part, { what, workbook, counter })
  const first = await reader.first()
  const sample = await takeSample(first.map(({ cells }) => cells).values())
  await yieldToEventLoop()
  const addresses = countAddresses(sample)
  await yieldToEventLoop()
  const isNamed = addresses > 0 || findColumns(sample, null) !== null
  const asOther = { name, addresses, isHidden }
  return { asOther, isHidden, addresses, hasColumn: hasColumn(sample, column), isNamed, reader, first }
}

/** Whether the error of a sheet ends the reading. A visible sheet may be the list. */
function isDecisive(listed: ListedSheet, { named }: Workbook, error: unknown): boolean {
  if (!(error instanceof AppError) || error.kind === "rate_limited") return true
  return named ? listed === named : !listed.isHidden
}

function withWayOut(error: unknown, { sheets, named }: Workbook): unknown {
  const hasOthers = !named && sheets.length > 1 && error instanceof AppError && error.kind === "invalid_request"
  return hasOthers ? unreadable(`${error.message}; to read another sheet, name it with sheet`) : error
}
