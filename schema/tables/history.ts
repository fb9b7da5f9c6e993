import { sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { STATUSES } from "../vocabulary.ts"

/** Verifications of an account, one row per result, stored for the retention period. */
export const verifications = sqliteTable(
  "verifications",
  {
    verificationId: integer().primaryKey({ autoIncrement: true }),
    accountId: text().notNull(),
    /** Normalized. A malformed address is stored as given, truncated. */
    address: text().notNull(),
    domain: text().notNull(),
    status: text({ enum: STATUSES }).notNull(),
    score: integer().notNull(),
    cached: integer({ mode: "boolean" }).notNull(),
    /** The result in the checks form. */
    checks: text({ mode: "json" }).$type<unknown>().notNull(),
    /** Unix milliseconds. */
    createdAt: integer().notNull(),
  },
  (table) => [
    index("verifications_account").on(table.accountId, table.verificationId),
    // For erasure: finds an address in any letter case, and all addresses of a domain.
    index("verifications_mailbox").on(table.domain, sql`address COLLATE NOCASE`),
    index("verifications_created_at").on(table.createdAt),
  ],
)

/** Results per account, counted on write: by day, status and cache hit. Account "" has those of callers without one. */
export const dailyCounts = sqliteTable(
  "daily_counts",
  {
    accountId: text().notNull(),
    /** UTC day, "2026-11-21". */
    day: text().notNull(),
    status: text({ enum: STATUSES }).notNull(),
    cached: integer({ mode: "boolean" }).notNull(),
    count: integer().notNull(),
    /** Sum of the scores, and number of results that mail can be sent to. */
    scores: integer().notNull().default(0),
    sendable: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.day, table.status, table.cached] }),
    index("daily_counts_day").on(table.day),
  ],
)

/** Results per key, counted on write by day. Results of sessions have no key. */
export const keyCounts = sqliteTable(
  "key_counts",
  {
    keyId: text().notNull(),
    /** UTC day, "2026-11-21". */
    day: text().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.day] })],
)
