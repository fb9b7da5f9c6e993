import { Connection, type ConnectionOf } from "../../../schema/wire/integrations.ts"
import type { ContactBook } from "../../../src/adapters/integrations/contact-book.ts"
import type { Contact, ContactFinding } from "../../../src/domain/integrations/sync.ts"

export const numbered = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: String(1_000 + n), email: `c${n}@mailbox.test` }))

/** All contacts of a book, and the number of pages. */
export async function walk(book: ContactBook): Promise<{ contacts: Contact[]; pages: number }> {
  const contacts: Contact[] = []
  for (let pages = 0, cursor: string | null = null; ; ) {
    const page = await book.page(cursor)
    if (!page.ok) throw new Error(page.failure.detail)
    contacts.push(...page.value.contacts)
    pages++
    cursor = page.value.next
    if (cursor === null) return { contacts, pages }
  }
}

export const finding = (contact: Contact, isUnsafe = false): ContactFinding => ({
  ...contact,
  status: isUnsafe ? "invalid" : "valid",
  score: isUnsafe ? 0 : 95,
  isUnsafe,
})

/** Parses a connection as an account enters it. */
export const readConnection = <P extends Connection["provider"]>(given: {
  provider: P
  credentials: object
  settings?: object
}) => Connection.parse(given) as ConnectionOf<P>
