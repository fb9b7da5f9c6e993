import { parseAddress } from "../address/parse.ts"
import { addressInCell } from "./cell-address.ts"
import { mailboxOf } from "./unique.ts"

export interface ListedAddress {
  /** What makes two entries of a list the same. */
  readonly mailbox: string
  /** Empty for a malformed address. */
  readonly domain: string
}

export interface CellAddress extends ListedAddress {
  /** The text of the address in the cell. Empty for a cell without one. */
  readonly email: string
}

/** Texts remembered. */
const REMEMBERED = 1_000

/**
 * Reads the addresses of a list, and remembers some: a workbook of a few kB may have one long international address in
 * 100,000 rows, and each would take as long as 500 ordinary ones.
 */
export class AddressReader {
  readonly #known = new Map<string, ListedAddress>()
  readonly #knownCells = new Map<string, CellAddress>()

  read(text: string): ListedAddress {
    return recalled(this.#known, text, () => {
      const address = parseAddress(text)
      return { mailbox: mailboxOf(address), domain: address.ok ? address.domain : "" }
    })
  }

  /** Reads the address in a cell of a table. */
  readCell(cell: string): CellAddress {
    return recalled(this.#knownCells, cell, () => {
      const email = addressInCell(cell)
      return { email, ...(email === "" ? NO_ADDRESS : this.read(email)) }
    })
  }
}

const NO_ADDRESS: ListedAddress = { mailbox: "", domain: "" }

function recalled<T>(known: Map<string, T>, text: string, read: () => T): T {
  const former = known.get(text)
  if (former !== undefined) return former
  const value = read()
  if (known.size >= REMEMBERED) known.clear()
  known.set(text, value)
  return value
}
