import type { Checks } from "../../api/shapes.ts"
import { SHOWN_STATUSES, STATUS_WORDS } from "../../words.ts"

/** The filters of the API, for both the table and the file. */
export const FILTERS = [
  ["all", "All rows"],
  ["can_send", "Sendable"],
  ["valid", STATUS_WORDS.valid],
  ["risky", "Risky"],
  ["accept_all", STATUS_WORDS.accept_all],
  ["unknown", STATUS_WORDS.unknown],
  ["invalid", "Invalid or malformed"],
  ["disposable", "Disposable"],
  ["role", "Role addresses"],
  ["free", "Free providers"],
] as const
export type Filter = (typeof FILTERS)[number][0]

type Filtered = Pick<Checks, "status" | "can_send" | "is_disposable" | "is_role_account" | "is_free_provider">

/** Whether a result passes a filter, as the API decides it. */
export function passes(filter: Filter, row: Filtered): boolean {
  switch (filter) {
    case "all":
      return true
    case "can_send":
      return row.can_send
    case "risky":
      return (
        row.status === "accept_all" ||
        (row.status === "valid" && (!row.can_send || row.is_disposable || row.is_role_account))
      )
    case "invalid":
      return row.status === "invalid" || row.status === "invalid_syntax"
    case "disposable":
      return row.is_disposable
    case "role":
      return row.is_role_account
    case "free":
      return row.is_free_provider
    case "valid":
    case "accept_all":
    case "unknown":
      return row.status === filter
  }
}

export type ColumnName = "email" | "status" | "can_send" | "score" | "provider"
type SortedRow = Pick<Checks, ColumnName>

interface Column {
  readonly name: ColumnName
  readonly title: string
  /** Classes of its cells. */
  readonly class?: string
}

export interface Sort {
  readonly by: ColumnName
  readonly isDown: boolean
}

export const COLUMNS: readonly Column[] = [
  { name: "email", title: "Address", class: "break" },
  { name: "status", title: "Status" },
  { name: "can_send", title: "Sendable" },
  { name: "score", title: "Score", class: "num" },
  { name: "provider", title: "Mail provider", class: "soft" },
]

const COMPARE: Readonly<Record<ColumnName, (a: SortedRow, b: SortedRow) => number>> = {
  email: (a, b) => compareTexts(a.email, b.email),
  status: (a, b) => SHOWN_STATUSES.indexOf(a.status) - SHOWN_STATUSES.indexOf(b.status),
  can_send: (a, b) => Number(a.can_send) - Number(b.can_send),
  score: (a, b) => a.score - b.score,
  provider: (a, b) => compareTexts(a.provider, b.provider),
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Sorted rows; equal ones stay in the order of the list. */
export function sorted<Row extends SortedRow>(rows: readonly Row[], sort: Sort | null): readonly Row[] {
  if (!sort) return rows
  const compare = COMPARE[sort.by]
  return rows.toSorted(sort.isDown ? (a, b) => compare(b, a) : compare)
}

/** The sort after a click on a heading: up, down, the order of the list. */
export function nextSort(sort: Sort | null, by: ColumnName): Sort | null {
  if (sort?.by !== by) return { by, isDown: false }
  return sort.isDown ? null : { by, isDown: true }
}

/** The sort in the URL: "score" or "-score". */
export function readSort(text: string): Sort | null {
  const column = COLUMNS.find(({ name }) => name === text.replace(/^-/, ""))
  return column ? { by: column.name, isDown: text.startsWith("-") } : null
}

export const writeSort = (sort: Sort | null): string => (sort ? `${sort.isDown ? "-" : ""}${sort.by}` : "")
