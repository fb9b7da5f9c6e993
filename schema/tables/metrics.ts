import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** Counts and durations of requests, for monitoring. Only grows. Names are defined in src/domain. */
export const requestCounts = sqliteTable("request_counts", {
  name: text().primaryKey(),
  count: integer().notNull(),
})
