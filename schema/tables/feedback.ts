import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { FEEDBACK_KINDS, INBOUND_PROVIDERS } from "../vocabulary.ts"

/** What really happened to mail, one row a fact: the model's training samples. The same fact never has two rows. */
export const feedback = sqliteTable(
  "feedback",
  {
    /** SHA-256 over account and the sender's own id of the event, or over its content and day where it has none. */
    eventKey: text().primaryKey(),
    accountId: text().notNull(),
    /** Keyed hash of the address's cache key; the address itself is not kept. */
    addressHash: text().notNull(),
    domain: text().notNull(),
    kind: text({ enum: FEEDBACK_KINDS }).notNull(),
    /** Who said so: a provider's name, or the caller's own word. */
    source: text().notNull(),
    /** The SMTP reply or enhanced code of a bounce. */
    code: text(),
    /** When it happened and when we heard of it, Unix milliseconds. */
    at: integer().notNull(),
    recordedAt: integer().notNull(),
    /** What had been said about the address before: `results.verified_at`, and what the verdict stood on. */
    verifiedAt: integer(),
    predictedStatus: text(),
    predictedScore: integer(),
    snapshot: text({ mode: "json" }).$type<unknown>(),
    /** The call that wrote the row, so that counters move for new rows only. */
    batch: text().notNull(),
  },
  (table) => [
    index("feedback_batch").on(table.batch),
    index("feedback_address").on(table.addressHash),
    index("feedback_recorded").on(table.recordedAt),
    index("feedback_account").on(table.accountId, table.recordedAt),
  ],
)

/** What an account's feedback adds up to for one address: the last moment of each kind, Unix milliseconds. */
export const addressFeedback = sqliteTable(
  "address_feedback",
  {
    accountId: text().notNull(),
    addressHash: text().notNull(),
    receivedAt: integer(),
    deliveredAt: integer(),
    openedAt: integer(),
    clickedAt: integer(),
    hardBouncedAt: integer(),
    softBouncedAt: integer(),
    complainedAt: integer(),
    unsubscribedAt: integer(),
    softBounces: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.addressHash] }),
    index("address_feedback_hash").on(table.addressHash),
  ],
)

/** Feedback counted on write: by account, UTC day, kind, and the status the address had been given ("" when none). */
export const feedbackCounts = sqliteTable(
  "feedback_counts",
  {
    accountId: text().notNull(),
    day: text().notNull(),
    kind: text({ enum: FEEDBACK_KINDS }).notNull(),
    predictedStatus: text().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.day, table.kind, table.predictedStatus] })],
)

/** Feedback counted on write, by account and domain. */
export const feedbackDomains = sqliteTable(
  "feedback_domains",
  {
    accountId: text().notNull(),
    domain: text().notNull(),
    kind: text({ enum: FEEDBACK_KINDS }).notNull(),
    count: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.domain, table.kind] }),
    index("feedback_domains_domain").on(table.domain),
  ],
)

/** Where a sending provider posts an account's events: a token in the URL says whose, the provider's own scheme that it is true. */
export const receivers = sqliteTable(
  "receivers",
  {
    receiverId: text().primaryKey(),
    accountId: text().notNull(),
    provider: text({ enum: INBOUND_PROVIDERS }).notNull(),
    /** SHA-256 of the token, which carries its own entropy. */
    tokenHash: text().notNull().unique(),
    /** What the provider's scheme needs, sealed under a key of the service. */
    sealedSecret: text().notNull(),
    /** Unix milliseconds, both. */
    createdAt: integer().notNull(),
    lastEventAt: integer(),
    accepted: integer().notNull().default(0),
    refused: integer().notNull().default(0),
  },
  (table) => [index("receivers_account").on(table.accountId)],
)

/** Single-use tokens of signed requests that have been seen, kept until their signature is too old anyway. */
export const usedTokens = sqliteTable(
  "used_tokens",
  {
    receiverId: text().notNull(),
    tokenHash: text().notNull(),
    /** Unix milliseconds. */
    expiresAt: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.receiverId, table.tokenHash] }),
    index("used_tokens_expiry").on(table.expiresAt),
  ],
)
