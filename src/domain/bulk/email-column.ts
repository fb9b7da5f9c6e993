import { parseAddress } from "../address/parse.ts"
import { addressInCell } from "./cell-address.ts"

type Records = readonly (readonly string[])[]

export interface FoundColumn {
  /** Index of the address column, from 0. */
  readonly column: number
  /** Whether the first record contains the column names. */
  readonly hasHeader: boolean
}

/** Names of an address column, without case and punctuation, the most certain first. */
const NAMES = [
  ["email", "emailaddress", "mail", "mailaddress", "address", "recipient", "correo", "correoelectronico"],
  ["courriel", "adressemail", "adresseemail", "emailadresse", "mailadresse", "eposta", "epost", "sahkoposti", "posta"],
  ["useremail", "contactemail", "primaryemail", "workemail", "businessemail", "customeremail", "email1", "username"],
] as const
const RANK: ReadonlyMap<string, number> = new Map(NAMES.flat().map((name, rank) => [name, rank]))

/** Longest column name in characters. A longer text is not a name, and its normalization takes too long. */
const LONGEST_NAME = 100

/** Longest cell, in characters, that counts as an address here. Each of 250 cells may take 0.1 us a character. */
const LONGEST_SIGN = 500

/**
 * Finds the column with the most addresses in the first records of a table. The column name decides a tie, and a table
 * without addresses. A single column needs neither.
 * @param records the first records, including a header
 */
export function findEmailColumn(records: Records): FoundColumn | null {
  return findKnownColumn(records) ?? onlyColumn(records)
}

/** Like `findEmailColumn`, but by addresses and names only. */
export function findKnownColumn(records: Records): FoundColumn | null {
  const [first, ...rest] = records
  if (!first) return null
  const width = widthOf(records)
  let best: { column: number; addresses: number; rank: number } | null = null
  for (let column = 0; column < width; column++) {
    const addresses = rest.filter((record) => isAddress(record[column])).length
    const rank = RANK.get(plain(first[column])) ?? (plain(first[column]).includes("email") ? RANK.size : Infinity)
    const isBetter = !best || addresses > best.addresses || (addresses === best.addresses && rank < best.rank)
    if (isBetter) best = { column, addresses, rank }
  }
  // Without a named column and an address below the first record, an address in the first record makes it data.
  const inFirst = first.findIndex((cell) => isAddress(cell))
  if (!best || (best.addresses === 0 && best.rank === Infinity))
    return inFirst < 0 ? null : { column: inFirst, hasHeader: false }
  return { column: best.column, hasHeader: !isAddress(first[best.column]) && namesColumns(first, best) }
}

/** A single column contains addresses, even malformed ones. */
function onlyColumn(records: Records): FoundColumn | null {
  return widthOf(records) === 1 ? { column: 0, hasHeader: false } : null
}

function widthOf(records: Records): number {
  return records.reduce((widest, record) => Math.max(widest, record.length), 0)
}

/** Whether any cell of the records is an address. */
export function containsAddress(records: Records): boolean {
  return records.some((record) => record.some(isAddress))
}

/** Whether the first record is a header: its cell is a known name, or has no "@". A malformed address is data. */
function namesColumns(first: readonly string[], { column, rank }: { column: number; rank: number }): boolean {
  return rank !== Infinity || !(first[column] ?? "").includes("@")
}

function isAddress(cell: string | undefined): boolean {
  return cell?.includes("@") === true && cell.length <= LONGEST_SIGN && parseAddress(addressInCell(cell)).ok
}

function plain(name: string | undefined): string {
  return (name ?? "")
    .slice(0, LONGEST_NAME)
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]/gu, "")
    .toLowerCase()
}
