import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import {
  INTEGRATION_EVENT_KINDS,
  INTEGRATION_OUTCOMES,
  INTEGRATION_PROVIDERS,
  SYNC_PROVIDERS,
  SYNC_STATES,
  TIERS,
} from "../vocabulary.ts"

/** Integrations of an account. */
export const integrations = sqliteTable(
  "integrations",
  {
    /** "int_…" */
    integrationId: text().primaryKey(),
    accountId: text().notNull(),
    provider: text({ enum: INTEGRATION_PROVIDERS }).notNull(),
    name: text().notNull(),
    /** The encrypted credentials. */
    sealed: text().notNull(),
    /** Id of the encryption key, so that credentials under an old key can be sealed again. */
    sealKeyId: text().notNull(),
    /** Configuration of the integration, without secrets. */
    settings: text({ mode: "json" }).$type<unknown>().notNull(),
    /** Unix milliseconds. */
    createdAt: integer().notNull(),
  },
  (table) => [
    index("integrations_account").on(table.accountId, table.createdAt),
    index("integrations_seal_key").on(table.sealKeyId),
  ],
)

/** A sync of an integration's contacts. The cursor is written after each page, so that a crash repeats at most one. */
export const integrationSyncs = sqliteTable(
  "integration_syncs",
  {
    /** "syn_…" */
    syncId: text().primaryKey(),
    integrationId: text().notNull(),
    accountId: text().notNull(),
    provider: text({ enum: SYNC_PROVIDERS }).notNull(),
    state: text({ enum: SYNC_STATES }).notNull(),
    /** Billing: the key that started the sync (null for a session), and its tier when the sync was last resumed. */
    keyId: text(),
    tier: text({ enum: TIERS }).notNull(),
    /** The provider's cursor of the next page; null at the start. */
    cursor: text(),
    pages: integer().notNull().default(0),
    /** Contacts read, and their results. */
    contacts: integer().notNull().default(0),
    written: integer().notNull().default(0),
    unsafe: integer().notNull().default(0),
    /** Not written, because their mail server must be probed again. */
    undecided: integer().notNull().default(0),
    /** Contacts whose update the provider rejected. */
    rejected: integer().notNull().default(0),
    credits: integer().notNull().default(0),
    /** Number of resumes. A page that is repeated after a resume is charged again. */
    resumes: integer().notNull().default(0),
    /** Consecutive failures since the last successful page. */
    failures: integer().notNull().default(0),
    /** Why the sync waits or has stopped, for the account. */
    detail: text(),
    /** Unix milliseconds. Waiting: time of the next step. Running: end of the lease. */
    dueAt: integer().notNull(),
    /** Grows with each lease. A worker with an old epoch cannot write. */
    leaseEpoch: integer().notNull().default(0),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    completedAt: integer(),
  },
  (table) => [
    index("integration_syncs_due").on(table.dueAt).where(sql`state IN ('queued', 'running', 'waiting')`),
    index("integration_syncs_account").on(table.accountId, table.createdAt),
    uniqueIndex("integration_syncs_open").on(table.integrationId).where(sql`state <> 'complete'`),
  ],
)

/** Log of an integration. Contains neither addresses nor the provider's free text. */
export const integrationEvents = sqliteTable(
  "integration_events",
  {
    /** "iev_…" */
    eventId: text().primaryKey(),
    integrationId: text().notNull(),
    accountId: text().notNull(),
    syncId: text(),
    kind: text({ enum: INTEGRATION_EVENT_KINDS }).notNull(),
    outcome: text({ enum: INTEGRATION_OUTCOMES }).notNull(),
    /** Null without a response, or with several. */
    httpStatus: integer(),
    /** Number of affected contacts. */
    contacts: integer().notNull().default(0),
    detail: text(),
    /** Unix milliseconds. */
    createdAt: integer().notNull(),
    durationMs: integer().notNull().default(0),
  },
  (table) => [
    index("integration_events_of").on(table.integrationId, table.createdAt, table.eventId),
    index("integration_events_at").on(table.createdAt),
    // Finds the last answer and the last failure among many events of the other kind.
    index("integration_events_answered")
      .on(table.integrationId, table.createdAt)
      .where(sql`kind <> 'sync_started' AND (outcome = 'ok' OR contacts > 0)`),
    index("integration_events_failed")
      .on(table.integrationId, table.createdAt, table.eventId)
      .where(sql`outcome <> 'ok'`),
    index("integration_events_account").on(table.accountId, table.createdAt),
  ],
)
