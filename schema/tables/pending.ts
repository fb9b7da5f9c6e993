import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { PENDING_STATES } from "../vocabulary.ts"

/** Verifications from /verify/quick, which the caller polls. */
export const pendingVerifications = sqliteTable(
  "pending_verifications",
  {
    /** "ver_…": an unguessable keyed hash. */
    verificationId: text().primaryKey(),
    /** Null for an anonymous caller; then the id alone grants access. */
    accountId: text(),
    /** The key of the call; null for a session and an anonymous caller. */
    keyId: text(),
    /** Address as sent to the mail server; a malformed one as given. */
    email: text().notNull(),
    state: text({ enum: PENDING_STATES }).notNull(),
    /** Empty without a webhook. */
    webhookUrl: text().notNull().default(""),
    /** The reservation to settle; null when nothing is charged. */
    chargeId: text(),
    attempts: integer().notNull().default(0),
    /** The evidence; null until it is complete, and when the result's own row contains it. */
    evidence: text({ mode: "json" }).$type<unknown>(),
    /** Unix milliseconds, all three. A running one whose lease has ended is resumed. */
    createdAt: integer().notNull(),
    leaseUntil: integer().notNull().default(0),
    completedAt: integer(),
  },
  (table) => [
    index("pending_verifications_state").on(table.state, table.leaseUntil),
    index("pending_verifications_created_at").on(table.createdAt),
    index("pending_verifications_mailbox").on(sql`email COLLATE NOCASE`),
  ],
)
