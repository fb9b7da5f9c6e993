import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { STATUSES } from "../vocabulary.ts"

/**
 * One row (id 1), which the first migration inserts: the secrets that this database needs, its last test write, and the
 * lease of the edge that `npm start` runs. Times are Unix milliseconds by the database's own clock.
 */
export const installation = sqliteTable("installation", {
  id: integer().primaryKey(),
  /** Keyed hash of a constant under KEY_PEPPER. Null until a service first starts with this database. */
  pepper: text(),
  /** Public key of EDGE_SIGNING_KEY: `<key id>:<base64url>`. */
  signingKey: text(),
  /** The last write of a health check. */
  heartbeatAt: integer().notNull().default(0),
  /** The state folder of the edge that holds the lease, the run of its process, and its host name. Null without a lease. */
  edgeId: text(),
  edgeRun: text(),
  edgeHost: text(),
  edgeUntil: integer().notNull().default(0),
})

/** Stored results by domain and status, counted by triggers on `results`. Domain "" is the total. */
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

/** Counts and durations of requests, for monitoring. Only grows. Names are defined in src/domain. */
export const requestCounts = sqliteTable("request_counts", {
  name: text().primaryKey(),
  count: integer().notNull(),
})
