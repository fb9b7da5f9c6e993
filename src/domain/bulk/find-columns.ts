import { AddressReader } from "./address-reader.ts"
import { columnNamed, columnNames } from "./header.ts"

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

/** Names of an address column, without case and punctuation, the most certain first. */
const NAMES = [
  ["email", "emailaddress", "mail", "mailaddress", "address", "recipient", "correo", "correoelectronico"],
  ["courriel", "adressemail", "adresseemail", "emailadresse", "mailadresse", "eposta", "epost", "sahkoposti", "posta"],
  ["useremail", "contactemail", "primaryemail", "workemail", "businessemail", "customeremail", "email1", "username"],
  ["email1value", "personalemail", "emailaddress1", "recipientemail", "subscriberemail", "to"],
] as const
const RANK: ReadonlyMap<string, number> = new Map(NAMES.flat().map((name, rank) => [name, rank]))
/** Words in the name of a column with the addresses of other people than the contacts. */
const OTHERS =
  /owner|sender|^from|manager|(?:^|sales)rep|agent|assign|creat|updated|added|referr|replyto|^e?mail?from|^b?cc|absender|besitzer|remitente|exp[eé]diteur|mittente/

/** Longest column name in characters. A longer text is not a name, and its normalization takes too long. */
const LONGEST_NAME = 100
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
    .sort((a, b) => a.grade! - b.grade! || b.distinct - a.distinct || b.likely - a.likely || a.rank - b.rank)
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
  /** Distinct well-formed addresses. */
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
  const sets = Array.from({ length: width }, () => ({ distinct: new Set<string>(), likely: new Set<string>() }))
  const addressesIn = records.map((record) =>
    record.flatMap((cell, column) => {
      if (!cell.includes("@") || cell.length > LONGEST_SIGN) return []
      const wellFormed = reader.readCell(cell).filter(({ domain }) => domain !== "")
      sets[column]!.likely.add(cell)
      for (const { mailbox } of wellFormed) sets[column]!.distinct.add(mailbox)
      return wellFormed.length > 0 ? [column] : []
    }),
  )
  return {
    columns: sets.map(({ distinct, likely }) => ({ distinct: distinct.size, likely: likely.size })),
    addressesIn,
  }
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
    records[at]!.some((cell, column) => rankOf(cell) < Infinity && addressesIn.slice(at).flat().includes(column))
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
  const full = typicalFill(data)
  const at = Math.max(
    0,
    above.findIndex((record) => fillOf(record) >= full),
  )
  return records[at]!.some((cell) => cell.includes("@")) ? null : at
}

/** 0 for a record that names no address column; 4 for an exact name beside others. A cell with "@" names no column. */
function headerQuality(record: readonly string[], width: number): number {
  if (record.some((cell) => cell.includes("@"))) return 0
  const ranks = record.map(rankOf)
  const isFull = width === 1 || fillOf(record) > 1
  if (ranks.some((rank) => rank < RANK.size)) return isFull ? 4 : 2
  return ranks.some((rank) => rank === RANK.size) ? (isFull ? 3 : 1) : 0
}

function fillOf(record: readonly string[]): number {
  return record.filter((cell) => cell.trim() !== "").length
}

/** The number of filled cells that most records have, or more. */
function typicalFill(records: Records): number {
  const fills = records.map(fillOf).sort((a, b) => a - b)
  return fills[fills.length >> 1] ?? 0
}

/** The place of a name in `NAMES`, their number for another name with "email", and Infinity for all others. */
function rankOf(name: string | undefined): number {
  const plain = plainName(name)
  return RANK.get(plain) ?? (/e?mail/.test(plain) && plain.length <= 40 ? RANK.size : Infinity)
}

/** How likely a column holds the contacts' addresses, 0 the most. Null without a sign. */
function gradeOf(name: string | undefined, { distinct }: Column): { grade: number | null; rank: number } {
  const rank = rankOf(name)
  const isKnown = rank < RANK.size
  if (OTHERS.test(plainName(name)) && !isKnown) return { grade: distinct > 0 ? 5 : null, rank }
  if (distinct > 0) return { grade: isKnown ? 0 : rank === RANK.size ? 1 : 2, rank }
  return { grade: isKnown ? 3 : rank === RANK.size ? 4 : null, rank }
}

interface Wanted {
  readonly header: number | null
  readonly wanted: string
  readonly table: Survey
}

function findWanted(records: Records, { header, wanted, table }: Wanted): FoundColumns | null {
  const likely = header === null ? [] : [header]
  for (const at of [...likely, ...records.keys()]) {
    const column = /^\d+$/.test(wanted.trim()) ? null : columnNamed(wanted, columnNames(records[at]!, 0))
    const isName = column !== null && !records[at]!.some((cell) => cell.includes("@"))
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
  const isData = header !== null && (records[header]![column] ?? "").includes("@")
  const otherColumns = table.columns.flatMap(({ distinct }, index) => (distinct > 0 && index !== column ? [index] : []))
  return { column, header: isData ? null : header, otherColumns, isTie }
}

function plainName(name: string | undefined): string {
  return (name ?? "")
    .slice(0, LONGEST_NAME)
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]/gu, "")
    .toLowerCase()
}
