import { parseAddress } from "../address/parse.ts"
import { addressesInCell } from "./cell-address.ts"
import { mailboxOf } from "./unique.ts"

export interface ListedAddress {
  /** What makes two entries of a list the same. */
  readonly mailbox: string
  /** Empty for a malformed address. */
  readonly domain: string
}

export interface CellAddress extends ListedAddress {
  /** The text of the address in the cell. */
  readonly email: string
}

/** Texts remembered, and the most addresses of a remembered cell. */
const REMEMBERED = 1_000
const FEW = 4

/**
 * Reads the addresses of a list, and remembers some: a workbook of a few kB may have one long international address in
 * 100,000 rows, and each would take as long as 500 ordinary ones.
 */
export class AddressReader {
  readonly #known = new Map<string, ListedAddress>()
  readonly #knownCells = new Map<string, readonly CellAddress[]>()

  read(text: string): ListedAddress {
    const former = this.#known.get(text)
    if (former !== undefined) return former
    const address = parseAddress(text)
    const read = { mailbox: mailboxOf(address), domain: address.ok ? address.domain : "" }
    remember(this.#known, text, read)
    return read
  }

  /** Reads the addresses in a cell of a table: none in a blank cell, and several in one that lists them. */
  readCell(cell: string): readonly CellAddress[] {
    const former = this.#knownCells.get(cell)
    if (former !== undefined) return former
    const read = addressesInCell(cell).map((email) => ({ email, ...this.read(email) }))
    if (read.length <= FEW) remember(this.#knownCells, cell, read)
    return read
  }
}

function remember<T>(known: Map<string, T>, text: string, value: T): void {
  if (known.size >= REMEMBERED) known.clear()
  known.set(text, value)
}
