import type { DownloadTable } from "../../domain/bulk/download.ts"
import { openTable, type Table } from "./open-table.ts"

/** Reads uploaded files, and writes workbooks. */
export interface Tables {
  open(bytes: Uint8Array, isText: boolean): Promise<Table>
  writeWorkbook(table: Pick<DownloadTable, "columns" | "pages">): AsyncGenerator<Uint8Array>
}

export const TABLES: Tables = {
  open: openTable,
  async *writeWorkbook(table) {
    // As for its reader, few isolates need it.
    const { writeWorkbook } = await import("./write-workbook.ts")
    yield* writeWorkbook(table)
  },
}
