import { Turns } from "../../concurrency/turns.ts"
import type { DownloadTable } from "../../domain/lists/download.ts"
import { openTable, type Table, type TableOptions } from "./open-table.ts"
import type { ReadMeter } from "./read-meter.ts"

/** Reads uploaded files, and writes workbooks. */
export interface Tables {
  /** One file or list at a time for each caller. */
  readonly turns: Turns
  open(bytes: Uint8Array, options: TableOptions, meter: ReadMeter): Promise<Table>
  writeWorkbook(table: Pick<DownloadTable, "columns" | "pages">): AsyncGenerator<Uint8Array>
}

export const TABLES: Tables = {
  // The largest file takes one to two seconds, or longer while its rows are stored.
  turns: new Turns({ waitMs: 20_000, waiting: 2, leaseMs: 30_000 }),
  open: openTable,
  async *writeWorkbook(table) {
    // As for its reader, few isolates need it.
    const { writeWorkbook } = await import("./write-workbook.ts")
    yield* writeWorkbook(table)
  },
}
