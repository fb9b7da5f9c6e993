import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { ATTEMPT_OUTCOMES } from "../vocabulary.ts"

/** What an account's webhooks are signed with. Two at a time after a rotation, until the older one expires. */
export const webhookSecrets = sqliteTable(
  "webhook_secrets",
  {
    secretId: text().primaryKey(),
    accountId: text().notNull(),
    /** Encrypted under a key derived from KEY_PEPPER; the secret itself is nowhere. */
    sealed: text().notNull(),
    /** Unix milliseconds, all three. Null: not shown yet, or in use without an end. */
    createdAt: integer().notNull(),
    shownAt: integer(),
    expiresAt: integer(),
  },
  (table) => [index("webhook_secrets_account").on(table.accountId, table.createdAt)],
)

/** A try to deliver an event. What the receiver answered beyond its status is never kept. */
export const webhookAttempts = sqliteTable(
  "webhook_attempts",
  {
    eventId: text().notNull(),
    /** From 1. */
    attempt: integer().notNull(),
    outcome: text({ enum: ATTEMPT_OUTCOMES }).notNull(),
    /** Null when there was no answer. */
    httpStatus: integer(),
    /** Unix milliseconds. */
    startedAt: integer().notNull(),
    durationMs: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.eventId, table.attempt] }),
    index("webhook_attempts_at").on(table.startedAt),
  ],
)

/** An account's receiver that fails. */
export const webhookEndpoints = sqliteTable(
  "webhook_endpoints",
  {
    accountId: text().notNull(),
    url: text().notNull(),
    /** Unix milliseconds, both. The first failure since the last success; and since when nothing is sent any more. */
    failingSince: integer(),
    disabledAt: integer(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.url] })],
)
