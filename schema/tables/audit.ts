import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { AUDIT_ACTIONS } from "../vocabulary.ts"

/**
 * What was done that somebody may have to answer for. Rows are only ever added; each holds the hash of the one before it,
 * so that a changed, removed or inserted row shows. No addresses: people stand here by keyed hashes.
 */
export const auditTrail = sqliteTable(
  "audit_trail",
  {
    /** From 1, without gaps. */
    seq: integer().primaryKey(),
    /** Unix milliseconds. */
    at: integer().notNull(),
    /** Who: "admin", "schedule", an account id, or "ip:" and a keyed hash. */
    actor: text().notNull(),
    action: text({ enum: AUDIT_ACTIONS }).notNull(),
    /** Whom or what it was done to: an id or a keyed hash; empty when nothing in particular. */
    subject: text().notNull(),
    details: text({ mode: "json" }).$type<Readonly<Record<string, string | number | boolean | null>>>().notNull(),
    /** Of the row before; 64 zeros in the first. */
    prevHash: text().notNull(),
    /** SHA-256 of `prevHash` and this row as canonical JSON, in hex. */
    hash: text().notNull(),
  },
  (table) => [
    index("audit_trail_action").on(table.action, table.seq),
    index("audit_trail_subject").on(table.subject, table.seq),
  ],
)
