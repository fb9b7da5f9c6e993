import { cacheKey } from "../address/cache-key.ts"
import type { ParsedAddress } from "../address/parse.ts"
import { shownText } from "../address/shown-email.ts"

/** Deduplication key: the mailbox without letter case; the text itself for a malformed address. */
export function mailboxOf(address: ParsedAddress): string {
  return address.ok ? cacheKey(address) : shownText(address.input)
}

/** The first entry of each mailbox, in order. */
export function withoutDuplicates<T extends { readonly address: ParsedAddress }>(entries: readonly T[]): T[] {
  const seen = new Set<string>()
  return entries.filter(({ address }) => {
    const mailbox = mailboxOf(address)
    if (seen.has(mailbox)) return false
    seen.add(mailbox)
    return true
  })
}
