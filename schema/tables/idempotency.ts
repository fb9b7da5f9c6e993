import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** Answers to requests that carried an Idempotency-Key, kept for 24 hours. Caller and key are only in a keyed hash. */
export const idempotency = sqliteTable(
  "idempotency",
  {
    requestKey: text().primaryKey(),
    /** SHA-256 of method, path and body: the same key with another request is a mistake. */
    requestHash: text().notNull(),
    /** Null while the first request is still running. */
    status: integer(),
    body: text(),
    /** Unix milliseconds, both. A running request that has not ended by `heldUntil` is taken for dead. */
    createdAt: integer().notNull(),
    heldUntil: integer().notNull(),
  },
  (table) => [index("idempotency_created_at").on(table.createdAt)],
)
