import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { STATUSES } from "../vocabulary.ts"

/**
 * Stored results by domain and status, kept by triggers on `results` (schema/migrations), so that no way of writing can
 * forget them. Domain "" is the sum of all.
 */
export const resultCounts = sqliteTable(
  "result_counts",
  {
    domain: text().notNull(),
    status: text({ enum: STATUSES }).notNull(),
    count: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.domain, table.status] }),
    index("result_counts_count").on(table.status, table.count),
  ],
)

/** What the service did, by UTC day: "verified:<status>" and "facts" by triggers, "cache:<place>:<hit|miss>" by the Worker. */
export const serviceCounts = sqliteTable(
  "service_counts",
  {
    day: text().notNull(),
    name: text().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.name] })],
)

/** Rows in the large tables, kept by triggers. */
export const rowCounts = sqliteTable("row_counts", {
  name: text().primaryKey(),
  count: integer().notNull(),
})
