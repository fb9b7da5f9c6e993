import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { STATUSES, SUB_STATUSES } from "../vocabulary.ts"

/** The latest result of each address; the evidence is the truth, status and score are kept beside it for queries. */
export const results = sqliteTable(
  "results",
  {
    /** NFC and lower-case, so that one mailbox is one row. */
    address: text().primaryKey(),
    domain: text().notNull(),
    status: text({ enum: STATUSES }).notNull(),
    subStatus: text({ enum: SUB_STATUSES }),
    score: integer().notNull(),
    evidence: text({ mode: "json" }).$type<unknown>().notNull(),
    /** Unix milliseconds, both. */
    verifiedAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (table) => [
    index("results_domain").on(table.domain, table.address),
    index("results_verified_at").on(table.verifiedAt),
  ],
)
