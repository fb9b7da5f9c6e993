import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { STATUSES, SUB_STATUSES } from "../vocabulary.ts"

/** The latest result of each address. The evidence is authoritative; status, score and send decision are copies for queries. */
export const results = sqliteTable(
  "results",
  {
    /** NFC and lower-case, so that one mailbox has one row. */
    address: text().primaryKey(),
    domain: text().notNull(),
    status: text({ enum: STATUSES }).notNull(),
    subStatus: text({ enum: SUB_STATUSES }),
    score: integer().notNull(),
    /** The send decision, without an account's flags, and the `verifiedAt` that it is about. An older version writes neither. */
    canSend: integer({ mode: "boolean" }),
    decidedAt: integer(),
    /** Packed by src/adapters/verification/evidence-codec.ts. */
    evidence: text().notNull(),
    /** Unix milliseconds, both. */
    verifiedAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (table) => [
    index("results_domain").on(table.domain, table.address),
    index("results_verified_at").on(table.verifiedAt),
  ],
)

/**
 * For which accounts an address was verified, written in the same step as its result. While another account is listed,
 * an erasure by one account leaves the shared result in place.
 */
export const verifiedAddresses = sqliteTable(
  "verified_addresses",
  {
    accountId: text().notNull(),
    /** As in `results`. */
    address: text().notNull(),
    domain: text().notNull(),
    /** Unix milliseconds of the latest verification. */
    verifiedAt: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.address] }),
    index("verified_addresses_mailbox").on(table.domain, table.address),
  ],
)
