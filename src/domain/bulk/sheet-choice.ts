import { columnNamed } from "./header.ts"

/** What the first rows of a sheet show. */
export interface SheetTraits {
  /** Distinct addresses in the column that has most of them. */
  readonly addresses: number
  readonly isHidden: boolean
  /** Whether the sheet has the column that the caller names. False when the caller names none. */
  readonly hasColumn: boolean
  /** Whether a column has addresses or a known name. */
  readonly isNamed: boolean
}

/**
 * Whether a sheet is read rather than an earlier one. A visible sheet with the named column precedes others, then the
 * visible sheet with the most addresses. A hidden sheet is read only when no visible sheet has an address.
 */
export function isPreferred(sheet: SheetTraits, earlier: SheetTraits): boolean {
  const [ranks, others] = [ranksOf(sheet), ranksOf(earlier)]
  const decisive = ranks.findIndex((rank, index) => rank !== others[index])
  return decisive >= 0 && ranks[decisive]! > others[decisive]!
}

/** The first rank that differs decides. */
function ranksOf({ addresses, isHidden, hasColumn, isNamed }: SheetTraits): number[] {
  return [
    Number(!isHidden && hasColumn),
    Number(!isHidden && addresses > 0),
    Number(hasColumn && addresses > 0),
    addresses,
    Number(!isHidden),
    Number(isNamed),
  ]
}

/** Whether the first rows of a sheet have the named column. A header may follow titles. */
export function hasColumn(rows: readonly (readonly string[])[], column: string | null): boolean {
  return column !== null && rows.some((row) => columnNamed(column, row) !== null)
}

/** Names and letters of a name in an error, whatever a file contains. */
const SHOWN = { names: 10, letters: 40 } as const

/** Why no sheet is read: the workbook has none with the wanted name or number. */
export function unknownSheet(wanted: string, names: readonly string[]): string {
  const shown = names.slice(0, SHOWN.names).map(quoted).join(", ")
  const more = names.length > SHOWN.names ? ` and ${names.length - SHOWN.names} more` : ""
  return `the workbook has no sheet ${quoted(wanted)}; it has ${shown || "no sheets"}${more}`
}

function quoted(name: string): string {
  return JSON.stringify(name.length > SHOWN.letters ? `${name.slice(0, SHOWN.letters)}…` : name)
}
