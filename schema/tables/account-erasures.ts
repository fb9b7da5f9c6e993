import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** The account of an erasure by the operator, which applies to all accounts. */
export const OPERATOR_ERASURE = ""

/**
 * Addresses and domains whose data an account erased. Other accounts may still hold a stored result: it is hidden from
 * this account. The row names neither the address nor the domain. What was found before an erasure is not stored
 * after it; for this alone, an erasure by the operator has a row for a day.
 */
export const accountErasures = sqliteTable(
  "account_erasures",
  {
    accountId: text().notNull(),
    /** Keyed hash of the address, or of the domain when a whole domain was erased. */
    subjectHash: text().notNull(),
    /** Keyed hash of the domain, so that an erasure of the domain by the operator finds the row. */
    domainHash: text().notNull(),
    /** Results verified up to this moment are hidden (Unix ms). Null: all, until the account verifies the address again. */
    hidesUntil: integer(),
    /** Unix milliseconds. */
    erasedAt: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.subjectHash] }),
    index("account_erasures_subject").on(table.subjectHash),
    index("account_erasures_domain").on(table.domainHash),
  ],
)
