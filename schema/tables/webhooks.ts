import { sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { ATTEMPT_OUTCOMES, type EndpointEvent, EVENT_STATES, EVENT_TYPES } from "../vocabulary.ts"

/** Signing secrets of an account's webhooks. Two are valid after a rotation, until the older one expires. */
export const webhookSecrets = sqliteTable(
  "webhook_secrets",
  {
    secretId: text().primaryKey(),
    accountId: text().notNull(),
    /** Encrypted under a key derived from KEY_PEPPER. The secret itself is not stored. */
    sealed: text().notNull(),
    /** Unix milliseconds, all three. Null: not shown yet, or valid without an end. */
    createdAt: integer().notNull(),
    shownAt: integer(),
    expiresAt: integer(),
  },
  (table) => [index("webhook_secrets_account").on(table.accountId, table.createdAt)],
)

/** Delivery attempts. Of the receiver's response only the status is stored. */
export const webhookAttempts = sqliteTable(
  "webhook_attempts",
  {
    eventId: text().notNull(),
    /** From 1. */
    attempt: integer().notNull(),
    outcome: text({ enum: ATTEMPT_OUTCOMES }).notNull(),
    /** Null without a response. */
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

/** Failing receivers of an account, whether it added them as endpoints or gave their URL with a list. */
export const webhookEndpoints = sqliteTable(
  "webhook_endpoints",
  {
    accountId: text().notNull(),
    url: text().notNull(),
    /** Unix milliseconds, both: the first failure since the last success, and the time of the disabling. */
    failingSince: integer(),
    disabledAt: integer(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.url] })],
)

/** Endpoints that an account added once. They get its events beside the URLs that it gives with a list. */
export const webhookSubscriptions = sqliteTable(
  "webhook_subscriptions",
  {
    /** "whe_…". */
    endpointId: text().primaryKey(),
    accountId: text().notNull(),
    url: text().notNull(),
    events: text({ mode: "json" }).$type<readonly EndpointEvent[]>().notNull(),
    description: text().notNull(),
    /** Unix milliseconds, both. Null: not paused. */
    createdAt: integer().notNull(),
    pausedAt: integer(),
  },
  (table) => [uniqueIndex("webhook_subscriptions_url").on(table.accountId, table.url)],
)

/** Outbox of webhook events. Written together with the change they report; delivered and retried from here. */
export const outboundEvents = sqliteTable(
  "outbound_events",
  {
    /** "evt_…": the webhook-id, the same at every attempt. */
    eventId: text().primaryKey(),
    /** Null for an anonymous caller, whose events have no signing secret. */
    accountId: text(),
    type: text({ enum: EVENT_TYPES }).notNull(),
    url: text().notNull(),
    /** The account's endpoint with this URL, if it had one. */
    endpointId: text(),
    payload: text({ mode: "json" }).$type<unknown>().notNull(),
    state: text({ enum: EVENT_STATES }).notNull().default("pending"),
    attempts: integer().notNull().default(0),
    /** Unix milliseconds, both. */
    createdAt: integer().notNull(),
    dueAt: integer().notNull(),
  },
  (table) => [
    index("outbound_events_due").on(table.state, table.dueAt),
    index("outbound_events_account").on(table.accountId, table.createdAt),
    index("outbound_events_endpoint").on(table.endpointId, table.createdAt).where(sql`endpoint_id IS NOT NULL`),
  ],
)
