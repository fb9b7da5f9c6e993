import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** Responses to requests with an Idempotency-Key, stored for 24 hours. Caller and key are stored only as a keyed hash. */
export const idempotency = sqliteTable(
  "idempotency",
  {
    requestKey: text().primaryKey(),
    /** SHA-256 of method, path and content. The same key with a different request is an error. */
    requestHash: text().notNull(),
    /** Null while the first request is running. */
    status: integer(),
    body: text(),
    /** Unix milliseconds, both. A request that is still running after `heldUntil` counts as failed. */
    createdAt: integer().notNull(),
    heldUntil: integer().notNull(),
  },
  (table) => [index("idempotency_created_at").on(table.createdAt)],
)
