import type { SuppressionReason } from "../../../../schema/vocabulary.ts"

/** What an entry suppresses. */
export type Subject = { readonly email: string } | { readonly domain: string }

export const subjectText = (subject: Subject): string => ("email" in subject ? subject.email : subject.domain)

/** Reads addresses and domains, one per line. A line with text before an "@" is an address. */
export const subjectsIn = (text: string): Subject[] =>
  text
    .split(/[\r\n]+/)
    .map((line) => line.replace(/(?<![\s,;])[\s,;]+$/, "").trim())
    .filter((line) => line !== "")
    .map((line) =>
      /^[^@*]/.test(line) && line.includes("@") ? { email: line } : { domain: line.replace(/^\*?@/, "") },
    )

export const REASONS: readonly (readonly [SuppressionReason, string])[] = [
  ["manual", "Manual"],
  ["unsubscribe", "Unsubscribed"],
  ["hard_bounce", "Hard bounce"],
  ["soft_bounce", "Soft bounce"],
  ["spam_complaint", "Spam complaint"],
]

export const REASON_WORDS: ReadonlyMap<SuppressionReason, string> = new Map(REASONS)

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
    bom: true,
    delimiter: delimiterOf(text),
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
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
