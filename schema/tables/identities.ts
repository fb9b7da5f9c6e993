import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** Sign-ins with an external provider, by the provider's user id. An email address may change owner, that id does not. */
export const identities = sqliteTable(
  "identities",
  { provider: text().notNull(), subject: text().notNull(), accountId: text().notNull() },
  (table) => [primaryKey({ columns: [table.provider, table.subject] })],
)
