import { cacheKey } from "../address/cache-key.ts"
import type { ParsedAddress } from "../address/parse.ts"
import { repairAddress } from "../address/repair-address.ts"
import { shownText } from "../address/shown-email.ts"

/** Deduplication key: the mailbox without letter case; the text itself for a malformed address. */
export function mailboxOf(address: ParsedAddress): string {
  return address.ok ? cacheKey(address) : shownText(repairAddress(address.input).text)
}

/** The first entry of each mailbox, in order, with the positions (from 0) of all entries of that mailbox. */
export function withoutDuplicates<T extends { readonly address: ParsedAddress }>(
  entries: readonly T[],
): (T & { readonly rows: readonly number[] })[] {
  const seen = new Map<string, T & { readonly rows: number[] }>()
  for (const [row, entry] of entries.entries()) {
    const mailbox = mailboxOf(entry.address)
    const first = seen.get(mailbox)
    if (first) first.rows.push(row)
    else seen.set(mailbox, { ...entry, rows: [row] })
  }
  return [...seen.values()]
}
