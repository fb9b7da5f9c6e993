import { parseAddress } from "../address/parse.ts"
import { mailboxOf } from "./unique.ts"

export interface ListedAddress {
  /** What makes two entries of a list the same. */
  readonly mailbox: string
  /** Empty for a malformed address. */
  readonly domain: string
}

/** Texts remembered. */
const REMEMBERED = 1_000

/**
 * Reads the addresses of a list, and remembers some: a workbook of a few kB may have one long international address in
 * 100,000 rows, and each would take as long as 500 ordinary ones.
 */
export class AddressReader {
  readonly #known = new Map<string, ListedAddress>()

  read(text: string): ListedAddress {
    const known = this.#known.get(text)
    if (known) return known
    const address = parseAddress(text)
    const listed = { mailbox: mailboxOf(address), domain: address.ok ? address.domain : "" }
    if (this.#known.size >= REMEMBERED) this.#known.clear()
    this.#known.set(text, listed)
    return listed
  }
}
