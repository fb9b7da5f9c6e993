import { canonicalMailbox } from "../address/canonical.ts"
import { parseAddress } from "../address/parse.ts"

export interface MailboxGroup {
  /** What all of them come down to; for malformed ones, the text itself. */
  readonly canonical: string
  /** The first of them, which stays. */
  readonly kept: string
  /** All of them, as given and in the order given. */
  readonly members: readonly string[]
  readonly isWellFormed: boolean
}

/** Groups a list by mailbox, in the order of the list. White space around an address is not part of it. */
export function groupByMailbox(emails: readonly string[]): MailboxGroup[] {
  const groups = new Map<string, { kept: string; members: string[]; isWellFormed: boolean }>()
  for (const email of emails) {
    const text = email.trim()
    const address = parseAddress(text)
    // A malformed text never equals a mailbox: those contain no "?" in front.
    const key = address.ok ? canonicalMailbox(address) : `?${text}`
    const group = groups.get(key)
    if (group) group.members.push(email)
    else groups.set(key, { kept: text, members: [email], isWellFormed: address.ok })
  }
  return [...groups].map(([key, group]) => ({ canonical: group.isWellFormed ? key : key.slice(1), ...group }))
}
