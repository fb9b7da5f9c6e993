import { parseAddress } from "../address/parse.ts"
import { addressInCell } from "./cell-address.ts"

type Records = readonly (readonly string[])[]

export interface FoundColumn {
  /** Where the addresses are, from 0. */
  readonly column: number
  /** The first record names the columns. */
  readonly hasHeader: boolean
}

/** Names of the column, without case and punctuation, the surer first. */
const NAMES = [
  ["email", "emailaddress", "mail", "mailaddress", "address", "recipient", "correo", "correoelectronico"],
  ["courriel", "adressemail", "adresseemail", "emailadresse", "mailadresse", "eposta", "epost", "sahkoposti", "posta"],
  ["useremail", "contactemail", "primaryemail", "workemail", "businessemail", "customeremail", "email1", "username"],
] as const
const RANK: ReadonlyMap<string, number> = new Map(NAMES.flat().map((name, rank) => [name, rank]))

/** Letters of a column's name; a longer text names none, and sorting its accents takes time beyond measure. */
const LONGEST_NAME = 100

/**
 * Finds the column of addresses in the first records of a table: the one that holds the most, of equals the one with the
 * name of such a column; a table without any address goes by the name alone, and one column needs neither. Null when
 * nothing helps.
 * @param records the first records, the header among them when there is one
 */
export function findEmailColumn(records: Records): FoundColumn | null {
  return findKnownColumn(records) ?? onlyColumn(records)
}

/** As `findEmailColumn`, but by addresses and names only. */
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
  // Nothing below the first record, or a first record with an address: it is data, wherever its address is.
  const inFirst = first.findIndex((cell) => isAddress(cell))
  if (!best || (best.addresses === 0 && best.rank === Infinity))
    return inFirst < 0 ? null : { column: inFirst, hasHeader: false }
  return { column: best.column, hasHeader: !isAddress(first[best.column]) && namesColumns(first, best) }
}

/** A list of one column is a list of addresses, even if none is well-formed. */
function onlyColumn(records: Records): FoundColumn | null {
  return widthOf(records) === 1 ? { column: 0, hasHeader: false } : null
}

function widthOf(records: Records): number {
  return records.reduce((widest, record) => Math.max(widest, record.length), 0)
}

/** Whether an address fills a cell of the records. */
export function holdsAddress(records: Records): boolean {
  return records.some((record) => record.some(isAddress))
}

/** A header names the column, or at least holds no "@" there: a malformed address is data. */
function namesColumns(first: readonly string[], { column, rank }: { column: number; rank: number }): boolean {
  return rank !== Infinity || !(first[column] ?? "").includes("@")
}

function isAddress(cell: string | undefined): boolean {
  return cell?.includes("@") === true && parseAddress(addressInCell(cell)).ok
}

function plain(name: string | undefined): string {
  return (name ?? "")
    .slice(0, LONGEST_NAME)
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]/gu, "")
    .toLowerCase()
}
