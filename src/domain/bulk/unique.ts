import { cacheKey } from "../address/cache-key.ts"
import type { ParsedAddress } from "../address/parse.ts"
import { shownText } from "../address/shown-email.ts"

/** What makes two entries of a list the same: the mailbox, whatever its letter case; malformed ones as they were written. */
export function mailboxOf(address: ParsedAddress): string {
  return address.ok ? cacheKey(address) : shownText(address.input)
}

/** The first of each mailbox, in the order given. */
export function withoutDuplicates<T extends { readonly address: ParsedAddress }>(entries: readonly T[]): T[] {
  const seen = new Set<string>()
  return entries.filter(({ address }) => {
    const mailbox = mailboxOf(address)
    if (seen.has(mailbox)) return false
    seen.add(mailbox)
    return true
  })
}
