import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
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

/** The account of an erasure by the operator, which applies to all accounts. */
export const OPERATOR_ERASURE = ""

/**
 * Addresses and domains whose data an account erased. Other accounts may still hold a stored result: it is hidden from
 * this account. The row names neither the address nor the domain. What was found before an erasure is not stored
 * after it; for this alone, an erasure by the operator has a row for a day.
 */
export const accountErasures = sqliteTable(
  "account_erasures",
  {
    accountId: text().notNull(),
    /** Keyed hash of the address, or of the domain when a whole domain was erased. */
    subjectHash: text().notNull(),
    /** Keyed hash of the domain, so that an erasure of the domain by the operator finds the row. */
    domainHash: text().notNull(),
    /** Results verified up to this moment are hidden (Unix ms). Null: all, until the account verifies the address again. */
    hidesUntil: integer(),
    /** Unix milliseconds. */
    erasedAt: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.subjectHash] }),
    index("account_erasures_subject").on(table.subjectHash),
    index("account_erasures_domain").on(table.domainHash),
  ],
)
