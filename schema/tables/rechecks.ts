import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** Addresses whose server asked us to come back. The row is the truth: a lost timer or queue loses nothing. */
export const rechecks = sqliteTable(
  "rechecks",
  {
    /** As it goes to the mail server. */
    address: text().primaryKey(),
    /** How often it has been asked again, from 0. */
    attempt: integer().notNull(),
    /** Unix milliseconds. */
    dueAt: integer().notNull(),
  },
  (table) => [index("rechecks_due_at").on(table.dueAt)],
)
