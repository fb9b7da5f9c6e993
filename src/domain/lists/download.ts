import type { Checks } from "../verification/checks.ts"
import type { Verification } from "../verification/verification.ts"
import type { Delimiter } from "./csv-reader.ts"
import { isInvalid } from "./list-problems.ts"

/** Filters of a job's results. `invalid` includes malformed addresses. */
export const RESULT_FILTERS = [
  "all",
  "can_send",
  "valid",
  "risky",
  "accept_all",
  "disposable",
  "unknown",
  "invalid",
  "role",
  "free",
] as const
export type ResultFilter = (typeof RESULT_FILTERS)[number]

export const DOWNLOAD_FORMATS = ["csv", "json", "ndjson", "xlsx"] as const
export type DownloadFormat = (typeof DOWNLOAD_FORMATS)[number]

/** A job's results as a table. */
export interface DownloadTable {
  /** Unique names. */
  readonly columns: readonly string[]
  /** The rows in order, some hundreds at a time. */
  readonly pages: AsyncIterable<readonly (readonly Cell[])[]>
  /** Of the uploaded file; a comma without one. */
  readonly delimiter: Delimiter
  /** Whether the uploaded file began with a byte order mark. */
  readonly hasBom: boolean
}

/** What the result columns of a row show. */
interface DownloadedResult {
  readonly checks: Checks
  readonly verification: Verification
  /** Why the address could not be verified; null without an error. */
  readonly error: string | null
}

/** The columns that a download adds to each row: most are fields of `Checks`, with the same names. */
export const RESULT_COLUMNS: readonly { name: string; value: (result: DownloadedResult) => Cell }[] = [
  { name: "status", value: ({ checks }) => checks.status },
  { name: "sub_status", value: ({ verification }) => verification.verdict.subStatus },
  { name: "score", value: ({ checks }) => checks.score },
  { name: "grade", value: ({ checks }) => checks.grade },
  { name: "can_send", value: ({ checks }) => checks.can_send },
  { name: "deliverable", value: ({ checks }) => checks.deliverable },
  { name: "is_catch_all", value: ({ checks }) => checks.is_catch_all },
  { name: "is_disposable", value: ({ checks }) => checks.is_disposable },
  { name: "is_role_account", value: ({ checks }) => checks.is_role_account },
  { name: "is_free_provider", value: ({ checks }) => checks.is_free_provider },
  { name: "is_suppressed", value: ({ verification }) => verification.isSuppressed },
  { name: "provider", value: ({ checks }) => checks.provider },
  { name: "verified_at", value: ({ checks }) => checks.verified_at },
  { name: "error", value: ({ error }) => error },
  { name: "did_you_mean", value: ({ checks }) => checks.did_you_mean },
  { name: "repaired", value: ({ checks }) => checks.repaired.join(" ") },
]

type Filtered = Pick<Verification, "verdict" | "canSend"> & {
  readonly evidence: { readonly lists: Pick<Verification["evidence"]["lists"], "isDisposable" | "isRole" | "isFree"> }
}

/** Whether a result passes a filter. The caller applies the account's flags first, because `can_send` depends on them. */
export function passes(filter: ResultFilter, { verdict: { status }, canSend, evidence: { lists } }: Filtered): boolean {
  switch (filter) {
    case "all":
      return true
    case "can_send":
      return canSend
    case "invalid":
      return isInvalid(status)
    case "disposable":
      return lists.isDisposable
    case "role":
      return lists.isRole
    case "free":
      return lists.isFree
    case "risky":
      return status === "accept_all" || (status === "valid" && (!canSend || lists.isDisposable || lists.isRole))
    case "valid":
    case "accept_all":
    case "unknown":
      return status === filter
  }
}

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

/** Characters that start a formula in a spreadsheet (OWASP "CSV Injection"), with their full-width forms. */
const SIGN = "[=+\\-@＝＋－＠]"
/**
 * What may precede the first character of a cell, in a program that splits the text at another delimiter: one of the
 * usual delimiters or a line break, then quotes, white space and invisible characters.
 */
const START = '(?:^|[,;\\t|\\r\\n])[\\s"\\p{Cc}\\p{Cf}]*'
/** Where a formula could start. Apostrophes before it count, so that `restoredCell` removes only what was added. */
const FORMULAS = new RegExp(`(?<!')(?='*${SIGN})(?<=${START})|^(?='*[\\t\\r\\n])`, "gu")
const ADDED = new RegExp(`(?<!')(?='+${SIGN})(?<=${START})'|^'(?='*[\\t\\r\\n])`, "gu")

export type Cell = string | number | boolean | null

/**
 * Formats a CSV record (RFC 4180) with a final CRLF. A null cell is empty.
 * An apostrophe precedes each part of a cell that could be a formula, so that spreadsheets read it as text, whichever of
 * the usual delimiters they split at. Such a cell gets quotes.
 */
export function csvLine(cells: readonly Cell[], delimiter: Delimiter = ","): string {
  return `${cells.map((cell) => csvCell(cell, delimiter)).join(delimiter)}\r\n`
}

function csvCell(cell: Cell, delimiter: Delimiter): string {
  if (cell === null) return ""
  if (typeof cell !== "string") return String(cell)
  const text = cell.replace(FORMULAS, "'")
  const isQuoted = text !== cell || /["\r\n]|^\s|\s$/.test(cell) || cell.includes(delimiter)
  return isQuoted ? `"${text.replaceAll('"', '""')}"` : cell
}

/** The text of a cell before `csvLine` added its apostrophes. Other services add the first of them, too. */
export function restoredCell(cell: string): string {
  return cell.includes("'") ? cell.replace(ADDED, "") : cell
}
