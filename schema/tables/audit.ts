import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { AUDIT_ACTIONS } from "../vocabulary.ts"

/**
 * The audit trail. Append-only: each row holds the hash of the previous one, so that a changed, removed or inserted row is
 * detectable. Contains no addresses; people appear as keyed hashes.
 */
export const auditTrail = sqliteTable(
  "audit_trail",
  {
    /** From 1, without gaps. */
    seq: integer().primaryKey(),
    /** Unix milliseconds. */
    at: integer().notNull(),
    /** Actor: "admin", "schedule", an account id, or "ip:" and a keyed hash. */
    actor: text().notNull(),
    action: text({ enum: AUDIT_ACTIONS }).notNull(),
    /** Subject: an id or a keyed hash; empty without a particular subject. */
    subject: text().notNull(),
    details: text({ mode: "json" }).$type<Readonly<Record<string, string | number | boolean | null>>>().notNull(),
    /** Hash of the previous row; 64 zeros in the first row. */
    prevHash: text().notNull(),
    /** SHA-256 of `prevHash` and this row as canonical JSON, in hex. */
    hash: text().notNull(),
  },
  (table) => [
    index("audit_trail_action").on(table.action, table.seq),
    index("audit_trail_subject").on(table.subject, table.seq),
    index("audit_trail_actor").on(table.actor, table.seq),
  ],
)
