import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { SUPPRESSION_REASONS } from "../vocabulary.ts"

/** Addresses not to be sent to, by account; account "*" is the operator's list, which stands above all accounts. */
export const suppressions = sqliteTable(
  "suppressions",
  {
    accountId: text().notNull(),
    /** Keyed hash of the address's cache key: enough to be honoured after the address itself has been erased. */
    addressHash: text().notNull(),
    /** Normalized; null after an erasure. */
    address: text(),
    reason: text({ enum: SUPPRESSION_REASONS }).notNull(),
    /** Where it came from, in the adder's words. */
    source: text(),
    /** Unix milliseconds, both; an entry without an end is permanent. */
    createdAt: integer().notNull(),
    expiresAt: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.addressHash] }),
    index("suppressions_hash").on(table.addressHash),
    index("suppressions_expiry").on(table.expiresAt),
    index("suppressions_reason").on(table.accountId, table.reason, table.expiresAt, table.createdAt),
  ],
)
