import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { PENDING_STATES } from "../vocabulary.ts"

/** Verifications that somebody asked for with /verify/quick and comes back for. */
export const pendingVerifications = sqliteTable(
  "pending_verifications",
  {
    /** "ver_…": a keyed hash that nobody can guess. */
    verificationId: text().primaryKey(),
    /** Null for a caller without an account; whoever has the id may read it then. */
    accountId: text(),
    /** As it goes to the mail server; a malformed one as it was given. */
    email: text().notNull(),
    state: text({ enum: PENDING_STATES }).notNull(),
    /** Empty when nobody wants to be told. */
    webhookUrl: text().notNull().default(""),
    /** The reservation to settle when it is done; null when nothing is counted. */
    chargeId: text(),
    attempts: integer().notNull().default(0),
    /** What was found; null until then, and where the result's own row holds it. */
    evidence: text({ mode: "json" }).$type<unknown>(),
    /** Unix milliseconds, all three. A running one whose lease has ended is taken up again. */
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
