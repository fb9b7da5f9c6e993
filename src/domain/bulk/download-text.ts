import { type Cell, csvLine } from "./csv-line.ts"
import type { DownloadFormat, DownloadTable } from "./download.ts"

const BOM = "\ufeff"

/** Writes a table page by page, in constant memory. A workbook is not text: an adapter writes it. */
export const TEXT_WRITERS: Readonly<
  Record<Exclude<DownloadFormat, "xlsx">, (table: DownloadTable) => AsyncGenerator<string>>
> = { csv, json, ndjson }

async function* csv({ columns, pages, delimiter, hasBom }: DownloadTable): AsyncGenerator<string> {
  yield (hasBom ? BOM : "") + csvLine(columns, delimiter)
  for await (const rows of pages) yield rows.map((cells) => csvLine(cells, delimiter)).join("")
}

async function* json({ columns, pages }: DownloadTable): AsyncGenerator<string> {
  const objectOf = objectWriter(columns)
  let before = "["
  for await (const rows of pages) {
    yield before + rows.map(objectOf).join(",\n")
    before = ",\n"
  }
  yield before === "[" ? "[]" : "]"
}

async function* ndjson({ columns, pages }: DownloadTable): AsyncGenerator<string> {
  const objectOf = objectWriter(columns)
  for await (const rows of pages) yield rows.map((cells) => `${objectOf(cells)}\n`).join("")
}

/** Writes rows as JSON objects. Fields have the order of the columns, also when a name is a number. */
function objectWriter(columns: readonly string[]): (cells: readonly Cell[]) => string {
  const keys = columns.map((name) => JSON.stringify(name))
  return (cells) => `{${keys.map((key, index) => `${key}:${JSON.stringify(cells[index] ?? null)}`).join(",")}}`
}
