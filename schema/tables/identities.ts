import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** Sign-in with another provider, by the provider's own id for the person: an address may change hands, that id does not. */
export const identities = sqliteTable(
  "identities",
  { provider: text().notNull(), subject: text().notNull(), accountId: text().notNull() },
  (table) => [primaryKey({ columns: [table.provider, table.subject] })],
)
