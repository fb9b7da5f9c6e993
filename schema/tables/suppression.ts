import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { FEEDBACK_KINDS, INBOUND_PROVIDERS, STATUSES, SUPPRESSION_REASONS, VERDICT_OUTCOMES } from "../vocabulary.ts"

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

/** Feedback about mail, one row per fact: the model's training samples. A fact never has two rows. */
export const feedback = sqliteTable(
  "feedback",
  {
    /** SHA-256 over account and the sender's own id of the event, or over its content and day where it has none. */
    eventKey: text().primaryKey(),
    accountId: text().notNull(),
    /** Keyed hash of the address's cache key. The address itself is not stored. */
    addressHash: text().notNull(),
    domain: text().notNull(),
    kind: text({ enum: FEEDBACK_KINDS }).notNull(),
    /** Source of the report: a provider's name, or the caller's own text. */
    source: text().notNull(),
    /** The SMTP reply or enhanced code of a bounce. */
    code: text(),
    /** Time of the event and time of the report, Unix milliseconds. */
    at: integer().notNull(),
    recordedAt: integer().notNull(),
    /** The earlier verdict about the address: `results.verified_at`, status, score and evidence. */
    verifiedAt: integer(),
    predictedStatus: text(),
    predictedScore: integer(),
    snapshot: text({ mode: "json" }).$type<unknown>(),
    /** The request that wrote the row, so that counters change for new rows only. */
    batch: text().notNull(),
  },
  (table) => [
    index("feedback_batch").on(table.batch),
    index("feedback_address").on(table.addressHash),
    index("feedback_recorded").on(table.recordedAt),
    index("feedback_account").on(table.accountId, table.recordedAt),
  ],
)

/** An account's feedback about one address: the latest time of each kind, Unix milliseconds, and the verdict it judges. */
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
    /** Of a hard bounce that says that the mailbox does not exist. */
    mailboxMissingAt: integer(),
    softBouncedAt: integer(),
    complainedAt: integer(),
    unsubscribedAt: integer(),
    softBounces: integer().notNull().default(0),
    /** The newest verdict that a report was about: its `results.verified_at` and status. Null without one. */
    verdictAt: integer(),
    verdictStatus: text({ enum: STATUSES }),
    /** Its outcome by the latest decisive report, and the time of that report's event. */
    outcome: text({ enum: VERDICT_OUTCOMES }),
    outcomeAt: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.addressHash] }),
    index("address_feedback_hash").on(table.addressHash),
  ],
)

/** Feedback counts by account, UTC day, kind and the earlier status of the address ("" without one). */
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

/** Verdicts by account, status and outcome. Each verdict counts once, with its latest outcome. */
export const verdictOutcomes = sqliteTable(
  "verdict_outcomes",
  {
    accountId: text().notNull(),
    status: text({ enum: STATUSES }).notNull(),
    outcome: text({ enum: VERDICT_OUTCOMES }).notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.status, table.outcome] })],
)

/** Feedback counts by account and domain. */
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

/** Receivers of a provider's events. A token in the URL names the account; the provider's signature authenticates. */
export const receivers = sqliteTable(
  "receivers",
  {
    receiverId: text().primaryKey(),
    accountId: text().notNull(),
    provider: text({ enum: INBOUND_PROVIDERS }).notNull(),
    /** SHA-256 of the token, which has enough entropy. */
    tokenHash: text().notNull().unique(),
    /** Secret of the provider's signature scheme, sealed. */
    sealedSecret: text().notNull(),
    /** Unix milliseconds, both. */
    createdAt: integer().notNull(),
    lastEventAt: integer(),
    accepted: integer().notNull().default(0),
    refused: integer().notNull().default(0),
    /** Events of genuine requests whose kind, id or recipient could not be read. */
    unreadable: integer().notNull().default(0),
  },
  (table) => [index("receivers_account").on(table.accountId)],
)

/** Used tokens of signed requests, stored until their signature expires. */
export const usedTokens = sqliteTable(
  "used_tokens",
  {
    receiverId: text().notNull(),
    tokenHash: text().notNull(),
    /** SHA-256 of the token and the event that came with it. Null in rows of older versions, which allow no repeat. */
    eventHash: text(),
    /** Unix milliseconds. */
    expiresAt: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.receiverId, table.tokenHash] }),
    index("used_tokens_expiry").on(table.expiresAt),
  ],
)
