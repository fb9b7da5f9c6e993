import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { STATUSES } from "../vocabulary.ts"

/**
 * Stored results by domain and status. Triggers on `results` maintain the counts (schema/migrations), so that every write
 * is counted. Domain "" is the total.
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

/**
 * Service counters by UTC day: "facts" by a trigger, "cache:<place>:<hit|miss>" by the Worker. "verified:<status>" and
 * "stored:<status>", for new and for stored results, are the sums of `daily_counts` of past days.
 */
export const serviceCounts = sqliteTable(
  "service_counts",
  {
    day: text().notNull(),
    name: text().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.name] })],
)

/**
 * Row counts of the large tables, maintained by triggers. Of `verifications` it counts only the deleted ones, as a negative
 * number: SQLite itself counts the inserted ones (`sqlite_sequence`), so that an insert writes no second row.
 */
export const rowCounts = sqliteTable("row_counts", {
  name: text().primaryKey(),
  count: integer().notNull(),
})
