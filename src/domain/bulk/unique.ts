import { cacheKey } from "../address/cache-key.ts"
import type { ParsedAddress } from "../address/parse.ts"

/** Longest malformed text that is kept. */
const MAX_KEPT = 320

/** What makes two entries of a list the same: the mailbox, whatever its letter case; malformed ones as they were written. */
export function mailboxOf(address: ParsedAddress): string {
  return address.ok ? cacheKey(address) : address.input.slice(0, MAX_KEPT).toWellFormed()
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
