import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** How often what was asked and how long it took, for monitoring: it only grows. Names as src/domain/metrics makes them. */
export const requestCounts = sqliteTable("request_counts", {
  name: text().primaryKey(),
  count: integer().notNull(),
})
