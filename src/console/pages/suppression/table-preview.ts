/** The first rows of a CSV file, and the columns that an import reads. */
export interface TablePreview {
  readonly columns: readonly string[]
  readonly firstRows: readonly (readonly string[])[]
  /** Rows without the header. */
  readonly rows: number
  /** Indexes of the columns that an import reads. */
  readonly read: ReadonlySet<number>
}

const ROWS_SHOWN = 5
const CELL_SHOWN = 200
/** Words in the names of columns that an import reads; addresses are found by their form. */
const NAMES =
  /email|^domain$|^source$|^notes?$|reason|bounce|unsub|complain|^type$|^status$|suppress|classification|creat|timestamp|expir|^error|^code$/i
const DELIMITERS = [",", ";", "\t", "|"]

/** Reads a table as a preview only: the service decides how an import reads it. */
export async function readTable(text: string): Promise<TablePreview> {
  const { parse } = await import("csv-parse/browser/esm/sync")
  const records = parse(text, {
    ...{ bom: true, delimiter: delimiterOf(text), relax_column_count: true, relax_quotes: true },
    ...{ skip_empty_lines: true, skip_records_with_error: true },
  }) as string[][]
  const width = records.reduce((widest, { length }) => Math.max(widest, length), 0)
  const [first = [], ...rest] = records
  const hasHeader = !first.some((cell) => cell.includes("@"))
  const data = hasHeader ? rest : records
  const columns = Array.from({ length: width }, (_, n) => (hasHeader && first[n]?.trim()) || `Column ${n + 1}`)
  const shown = data.slice(0, ROWS_SHOWN)
  const isRead = (n: number) => NAMES.test(columns[n]!) || shown.some((cells) => cells[n]?.includes("@"))
  return {
    columns,
    firstRows: shown.map((cells) => cells.map((cell) => cell.slice(0, CELL_SHOWN))),
    rows: data.length,
    read: new Set([...columns.keys()].filter(isRead)),
  }
}

/** The delimiter that the first line has most often. */
function delimiterOf(text: string): string {
  const line = text.split(/[\r\n]/, 1)[0] ?? ""
  const times = (delimiter: string) => line.split(delimiter).length
  return DELIMITERS.reduce((best, one) => (times(one) > times(best) ? one : best))
}
