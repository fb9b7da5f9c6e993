import { canonicalMailbox } from "../address/canonical.ts"
import { parseAddress, repairsOf } from "../address/parse.ts"
import { repairAddress } from "../address/repair-address.ts"
import { addressInEntry } from "./cell-address.ts"

export interface MailboxGroup {
  /** The canonical mailbox; the text itself for a malformed address. */
  readonly canonical: string
  /** The first member, which a deduplicated list retains. */
  readonly kept: string
  /** All spellings, as given and in order. */
  readonly members: readonly string[]
  readonly isWellFormed: boolean
}

/** Groups a list by mailbox, in the order of the list. */
export class MailboxGroups {
  readonly #groups = new Map<string, { kept: string; members: string[]; isWellFormed: boolean }>()

  /** How many addresses were repaired. */
  repaired = 0

  add(email: string): void {
    const entry = addressInEntry(email)
    const { text } = repairAddress(entry)
    const address = parseAddress(entry)
    if (repairsOf(address).length > 0) this.repaired++
    // The prefix separates malformed texts from mailboxes: no canonical mailbox starts with "?".
    const key = address.ok ? canonicalMailbox(address) : `?${text}`
    const group = this.#groups.get(key)
    if (group) group.members.push(email)
    else this.#groups.set(key, { kept: text, members: [email], isWellFormed: address.ok })
  }

  /** The groups so far. */
  list(): MailboxGroup[] {
    return [...this.#groups].map(([key, group]) => ({ canonical: group.isWellFormed ? key : key.slice(1), ...group }))
  }
}
