import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** Deferred addresses. The row is authoritative: a lost timer or queue message loses nothing. */
export const rechecks = sqliteTable(
  "rechecks",
  {
    /** Address as sent to the mail server. */
    address: text().primaryKey(),
    /** Number of rechecks, from 0. */
    attempt: integer().notNull(),
    /** Unix milliseconds. */
    dueAt: integer().notNull(),
  },
  (table) => [index("rechecks_due_at").on(table.dueAt)],
)
