import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** Benchmarks of an account: expectations and report. */
export const benchmarks = sqliteTable(
  "benchmarks",
  {
    benchmarkId: text().primaryKey(),
    accountId: text().notNull(),
    /** The job of a large benchmark. */
    jobId: text(),
    /** Addresses with the expected status, in the given order. */
    expected: text({ mode: "json" }).$type<unknown>().notNull(),
    /** Null until all addresses are verified. */
    report: text({ mode: "json" }).$type<unknown>(),
    /** Unix milliseconds, both. */
    createdAt: integer().notNull(),
    completedAt: integer(),
  },
  (table) => [index("benchmarks_account").on(table.accountId), index("benchmarks_created_at").on(table.createdAt)],
)
