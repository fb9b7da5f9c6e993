import { sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { STATUSES } from "../vocabulary.ts"

/** What an account asked for, one row an answer, kept for the retention period. */
export const verifications = sqliteTable(
  "verifications",
  {
    verificationId: integer().primaryKey({ autoIncrement: true }),
    accountId: text().notNull(),
    /** Normalized; as given, cut short, when malformed. */
    address: text().notNull(),
    domain: text().notNull(),
    status: text({ enum: STATUSES }).notNull(),
    score: integer().notNull(),
    cached: integer({ mode: "boolean" }).notNull(),
    /** The answer in the checks form. */
    checks: text({ mode: "json" }).$type<unknown>().notNull(),
    /** Unix milliseconds. */
    createdAt: integer().notNull(),
  },
  (table) => [
    index("verifications_account").on(table.accountId, table.verificationId),
    // How an erasure finds an address in whatever letter case it was given, and all addresses of a domain.
    index("verifications_mailbox").on(table.domain, sql`address COLLATE NOCASE`),
    index("verifications_created_at").on(table.createdAt),
  ],
)

/** Answers an account got, counted on write: a day, a status, and whether it came from the cache. */
export const dailyCounts = sqliteTable(
  "daily_counts",
  {
    accountId: text().notNull(),
    /** UTC day, "2026-11-21". */
    day: text().notNull(),
    status: text({ enum: STATUSES }).notNull(),
    cached: integer({ mode: "boolean" }).notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.day, table.status, table.cached] })],
)
