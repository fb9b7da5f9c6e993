import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { SUPPRESSION_REASONS } from "../vocabulary.ts"

/** Suppressed addresses and domains by account. Account "*" is the operator's list, which applies to all accounts. */
export const suppressions = sqliteTable(
  "suppressions",
  {
    accountId: text().notNull(),
    /** Keyed hash of the address's cache key, or of the domain. It still applies after the address itself has been erased. */
    addressHash: text().notNull(),
    /** Normalized; null after an erasure. "@" and the domain (A-labels) for every address of a domain. */
    address: text(),
    reason: text({ enum: SUPPRESSION_REASONS }).notNull(),
    /** Source, as the creator named it. */
    source: text(),
    /** What an import says about the reason beside its kind: a mail server's reply, or words of another provider. */
    note: text(),
    /** Unix milliseconds, both. An entry without `expiresAt` is permanent. */
    createdAt: integer().notNull(),
    expiresAt: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.addressHash] }),
    index("suppressions_hash").on(table.addressHash),
    index("suppressions_created").on(table.accountId, table.createdAt),
    index("suppressions_expiry").on(table.expiresAt),
    index("suppressions_reason").on(table.accountId, table.reason, table.expiresAt, table.createdAt),
  ],
)
