import { columnNamed, columnNames, mayName, nameKind } from "./column-names.ts"
import { AddressReader } from "./list-addresses.ts"

type Records = readonly (readonly string[])[]

/** Where the addresses of a table are. All numbers count from 0. */
export interface FoundColumns {
  /** The column of addresses. */
  readonly column: number
  /** The record with the column names. The records above it are titles and notes. Null in a table without names. */
  readonly header: number | null
  /** Other columns with addresses in the first records. */
  readonly otherColumns: readonly number[]
  /** Another column has as many addresses and as good a name. */
  readonly isTie: boolean
}

/** Longest cell, in characters, that counts as an address here. Each of 250 cells may take 0.1 us a character. */
const LONGEST_SIGN = 2_000

/**
 * Finds the columns and the header of a table in its first records. A column with a known name comes first, then the one
 * with the most distinct addresses: the address of an owner or a sender is in every row.
 * @param wanted name or number, from 1, of the address column. Null to find it
 * @returns null when no record has a well-formed address, no column a known name, and none is wanted, or without the wanted one
 */
export function findColumns(records: Records, wanted: string | null): FoundColumns | null {
  const table = surveyOf(records)
  const header = findHeader(records, table)
  if (wanted !== null) return findWanted(records, { header, wanted, table })
  const names = header === null ? [] : records[header]!
  const ranked = table.columns
    .map((column, index) => ({ index, ...column, ...gradeOf(names[index], column) }))
    .filter(({ grade }) => grade !== null)
    .sort(
      (a, b) =>
        a.grade! - b.grade! ||
        b.distinct - a.distinct ||
        b.likely - a.likely ||
        (a.rank === b.rank ? 0 : a.rank - b.rank),
    )
  const [best, second] = ranked
  if (!best) return null
  const isTie =
    second?.grade === best.grade &&
    second.distinct === best.distinct &&
    second.likely === best.likely &&
    second.rank === best.rank
  return found(best.index, { header, records, table, isTie })
}

/** Distinct well-formed addresses in the column that has the most of them. */
export function countAddresses(records: Records): number {
  return Math.max(0, ...surveyOf(records).columns.map(({ distinct }) => distinct))
}

interface Column {
  /** Records with well-formed addresses, and how many distinct ones. */
  readonly filled: number
  readonly distinct: number
  /** Distinct texts with "@". */
  readonly likely: number
}

interface Survey {
  readonly columns: readonly Column[]
  /** For each record, the columns with well-formed addresses. */
  readonly addressesIn: readonly (readonly number[])[]
}

function surveyOf(records: Records): Survey {
  const reader = new AddressReader()
  const width = records.reduce((widest, record) => Math.max(widest, record.length), 0)
  const sets = Array.from({ length: width }, () => ({
    filled: 0,
    distinct: new Set<string>(),
    likely: new Set<string>(),
  }))
  const addressesIn = records.map((record) =>
    record.flatMap((cell, column) => {
      if (!cell.includes("@") || cell.length > LONGEST_SIGN) return []
      const wellFormed = reader.readCell(cell).filter(({ domain }) => domain !== "")
      sets[column]!.likely.add(cell)
      for (const { mailbox } of wellFormed) sets[column]!.distinct.add(mailbox)
      if (wellFormed.length === 0) return []
      sets[column]!.filled++
      return [column]
    }),
  )
  const columns = sets.map(({ filled, distinct, likely }) => ({ filled, distinct: distinct.size, likely: likely.size }))
  return { columns, addressesIn }
}

/**
 * Finds the record with the column names: one with a known name, else the first one that is as full as the data, if no
 * address precedes it.
 */
function findHeader(records: Records, { addressesIn, columns }: Survey): number | null {
  const firstData = addressesIn.findIndex((found) => found.length > 0)
  const last = firstData < 0 ? records.length : firstData + 1
  // A title may hold one address, as of the person who exported the file. Then the name stands above other addresses.
  const isBelowTitle = (at: number) =>
    addressesIn.slice(0, at).flat().length === 1 &&
    records[at]!.some(
      (cell, column) =>
        ["exact", "mail"].includes(nameKind(cell).kind) && addressesIn.slice(at).flat().includes(column),
    )
  let best: { at: number; quality: number } | null = null
  for (let at = 0; at < Math.min(records.length, last + 10); at++) {
    const quality = headerQuality(records[at]!, columns.length)
    if (firstData >= 0 && at > firstData && !(quality > 2 && isBelowTitle(at))) continue
    if (quality > (best?.quality ?? 0)) best = { at, quality }
  }
  if (best) return best.at
  // A list of texts that are no addresses has no title, a table has.
  if (firstData === 0 || (firstData < 0 && columns.length < 2)) return null
  const [above, data] = firstData < 0 ? [records, records] : [records.slice(0, firstData), records.slice(firstData)]
  // The number of filled cells that most records have, or more.
  const fills = data.map(fillOf).sort((a, b) => a - b)
  const full = fills[fills.length >> 1] ?? 0
  const at = Math.max(
    0,
    above.findIndex((record) => fillOf(record) >= full),
  )
  return records[at]!.every(mayName) ? at : null
}

/** 0 for a record that names no address column; 4 for an exact name beside others. */
function headerQuality(record: readonly string[], width: number): number {
  const kinds = record.map((cell) => nameKind(cell).kind)
  // A record with an address is data.
  if (!record.every(mayName)) return 0
  const isFull = width === 1 || fillOf(record) > 1
  if (kinds.includes("exact")) return isFull ? 4 : 2
  return kinds.includes("mail") ? (isFull ? 3 : 1) : 0
}

function fillOf(record: readonly string[]): number {
  return record.filter((cell) => cell.trim() !== "").length
}

/** How likely a column holds the contacts' addresses, 0 the most. Null without a sign. */
function gradeOf(name: string | undefined, column: Column): { grade: number | null; rank: number } {
  const { kind, rank } = nameKind(name)
  if (column.distinct === 0) return { grade: kind === "exact" ? 4 : kind === "mail" ? 5 : null, rank }
  if (kind === "no_address") return { grade: null, rank }
  // The addresses of owners repeat. Those of senders are the contacts' in the records of a shop, whose own repeats.
  const isVaried = column.distinct > 2 && column.distinct * 2 > column.filled
  if (kind === "others") return { grade: isVaried ? 6 : 8, rank }
  if (column.filled > 2 && column.distinct === 1) return { grade: 7, rank }
  return { grade: kind === "exact" ? 0 : kind === "mail" ? 1 : kind === "contact" ? 2 : 3, rank }
}

function findWanted(
  records: Records,
  { header, wanted, table }: Pick<Found, "header" | "table"> & { wanted: string },
): FoundColumns | null {
  const likely = header === null ? [] : [header]
  for (const at of [...likely, ...records.keys()]) {
    const column = /^\d+$/.test(wanted.trim()) ? null : columnNamed(wanted, columnNames(records[at]!, 0))
    const isName = column !== null && records[at]!.every(mayName)
    if (isName) return found(column, { header: at, records, table, isTie: false })
  }
  const column = columnNamed(wanted, columnNames(records[header ?? 0] ?? [], table.columns.length))
  return column === null ? null : found(column, { header, records, table, isTie: false })
}

interface Found {
  readonly header: number | null
  readonly records: Records
  readonly table: Survey
  readonly isTie: boolean
}

function found(column: number, { header, records, table, isTie }: Found): FoundColumns {
  const isData = header !== null && !mayName(records[header]![column] ?? "")
  const otherColumns = table.columns.flatMap(({ distinct }, index) => (distinct > 0 && index !== column ? [index] : []))
  return { column, header: isData ? null : header, otherColumns, isTie }
}
