import { canonicalMailbox } from "../address/canonical.ts"
import { parseAddress } from "../address/parse.ts"

export interface MailboxGroup {
  /** The canonical mailbox; the text itself for a malformed address. */
  readonly canonical: string
  /** The first member, which a deduplicated list retains. */
  readonly kept: string
  /** All spellings, as given and in order. */
  readonly members: readonly string[]
  readonly isWellFormed: boolean
}

/** Groups a list by mailbox, in the order of the list. Ignores white space around an address. */
export class MailboxGroups {
  readonly #groups = new Map<string, { kept: string; members: string[]; isWellFormed: boolean }>()

  add(email: string): void {
    const text = email.trim()
    const address = parseAddress(text)
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
