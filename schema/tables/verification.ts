import { sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { PENDING_STATES, STATUSES, SUB_STATUSES } from "../vocabulary.ts"

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

/** DNS facts of a domain, shared by all its addresses. */
export const domains = sqliteTable("domains", {
  domain: text().primaryKey(),
  facts: text({ mode: "json" }).$type<unknown>().notNull(),
  /** Unix milliseconds, both. */
  checkedAt: integer().notNull(),
  expiresAt: integer().notNull(),
})

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

/** Deferred addresses. The row is authoritative: a lost timer or queue message loses nothing. */
export const rechecks = sqliteTable(
  "rechecks",
  {
    /** Address as sent to the mail server. */
    address: text().primaryKey(),
    /** Number of rechecks, from 0. */
    attempt: integer().notNull(),
    /** Unix milliseconds. */
    dueAt: integer().notNull(),
  },
  (table) => [index("rechecks_due_at").on(table.dueAt)],
)

/** Verifications of an account, one row per result, stored for the retention period. */
export const verifications = sqliteTable(
  "verifications",
  {
    verificationId: integer().primaryKey({ autoIncrement: true }),
    accountId: text().notNull(),
    /** Normalized. A malformed address is stored as given, truncated. */
    address: text().notNull(),
    domain: text().notNull(),
    status: text({ enum: STATUSES }).notNull(),
    score: integer().notNull(),
    cached: integer({ mode: "boolean" }).notNull(),
    /** The result in the checks form. */
    checks: text({ mode: "json" }).$type<unknown>().notNull(),
    /** Unix milliseconds. */
    createdAt: integer().notNull(),
  },
  (table) => [
    index("verifications_account").on(table.accountId, table.verificationId),
    // For erasure: finds an address in any letter case, and all addresses of a domain.
    index("verifications_mailbox").on(table.domain, sql`address COLLATE NOCASE`),
    index("verifications_created_at").on(table.createdAt),
  ],
)

/** Results per account, counted on write: by day, status and cache hit. Account "" has those of callers without one. */
export const dailyCounts = sqliteTable(
  "daily_counts",
  {
    accountId: text().notNull(),
    /** UTC day, "2026-11-21". */
    day: text().notNull(),
    status: text({ enum: STATUSES }).notNull(),
    cached: integer({ mode: "boolean" }).notNull(),
    count: integer().notNull(),
    /** Sum of the scores, and number of results that mail can be sent to. */
    scores: integer().notNull().default(0),
    sendable: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.day, table.status, table.cached] }),
    index("daily_counts_day").on(table.day),
  ],
)

/** Results per key, counted on write by day. Results of sessions have no key. */
export const keyCounts = sqliteTable(
  "key_counts",
  {
    keyId: text().notNull(),
    /** UTC day, "2026-11-21". */
    day: text().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.day] })],
)
