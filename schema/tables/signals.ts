import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** Breaches that an operator imported (scripts/data/import-breaches.ts). */
export const breaches = sqliteTable("breaches", {
  name: text().primaryKey(),
  /** Day of the breach, "2024-05-31"; null when unknown. */
  breachedOn: text(),
  addresses: integer().notNull().default(0),
  /** Unix milliseconds. */
  importedAt: integer().notNull(),
})

/** Addresses in each breach. The digest is keyed, so that the table alone reveals no address. */
export const breachedAddresses = sqliteTable(
  "breached_addresses",
  {
    digest: text().notNull(),
    breach: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.digest, table.breach] })],
)

/** Cached answers of a breach service, by the same keyed digest. */
export const breachAnswers = sqliteTable(
  "breach_answers",
  {
    digest: text().primaryKey(),
    breaches: text({ mode: "json" }).$type<unknown>().notNull(),
    /** Unix milliseconds, both. */
    answeredAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (table) => [index("breach_answers_expires_at").on(table.expiresAt)],
)
