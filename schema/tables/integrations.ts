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

/** What an account has connected. */
export const integrations = sqliteTable(
  "integrations",
  {
    /** "int_…" */
    integrationId: text().primaryKey(),
    accountId: text().notNull(),
    provider: text({ enum: INTEGRATION_PROVIDERS }).notNull(),
    name: text().notNull(),
    /** The credentials, encrypted; they are nowhere else. */
    sealed: text().notNull(),
    /** Which key they are encrypted under, so that those of a former one are found and sealed anew. */
    sealKeyId: text().notNull(),
    /** What to do where at the provider; no secrets. */
    settings: text({ mode: "json" }).$type<unknown>().notNull(),
    /** Unix milliseconds. */
    createdAt: integer().notNull(),
  },
  (table) => [
    index("integrations_account").on(table.accountId, table.createdAt),
    index("integrations_seal_key").on(table.sealKeyId),
  ],
)

/** A walk through the contacts of an integration. The cursor is written after each page, so a dead Worker loses at most one. */
export const integrationSyncs = sqliteTable(
  "integration_syncs",
  {
    /** "syn_…" */
    syncId: text().primaryKey(),
    integrationId: text().notNull(),
    accountId: text().notNull(),
    provider: text({ enum: SYNC_PROVIDERS }).notNull(),
    state: text({ enum: SYNC_STATES }).notNull(),
    /** Who pays: the key it was started with, null for a session, and the tier whose limits hold, as of when it was last taken up. */
    keyId: text(),
    tier: text({ enum: TIERS }).notNull(),
    /** The provider's word for where the next page begins; null at the beginning. */
    cursor: text(),
    pages: integer().notNull().default(0),
    /** Contacts read, and what became of them. */
    contacts: integer().notNull().default(0),
    written: integer().notNull().default(0),
    unsafe: integer().notNull().default(0),
    /** Not written: their mail server has to be asked again first. */
    undecided: integer().notNull().default(0),
    /** The provider would not take what was found about them. */
    rejected: integer().notNull().default(0),
    credits: integer().notNull().default(0),
    /** How often it was put back to work; a page that is tried after that is a new purchase. */
    resumes: integer().notNull().default(0),
    /** Failures since the last page that went well. */
    failures: integer().notNull().default(0),
    /** Why it waits or has stopped, in words for the account. */
    detail: text(),
    /** Unix milliseconds. When it goes on; while somebody works on it, when that is taken to have died. */
    dueAt: integer().notNull(),
    /** Counts those who took it up; whoever has lost it can write nothing more. */
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

/** What was done at a provider and how it went. Neither addresses nor what the provider wrote in free text. */
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
    /** Null when there was no answer, or several. */
    httpStatus: integer(),
    /** Contacts it was about. */
    contacts: integer().notNull().default(0),
    detail: text(),
    /** Unix milliseconds. */
    createdAt: integer().notNull(),
    durationMs: integer().notNull().default(0),
  },
  (table) => [
    index("integration_events_of").on(table.integrationId, table.createdAt, table.eventId),
    index("integration_events_at").on(table.createdAt),
    index("integration_events_account").on(table.accountId, table.createdAt),
  ],
)
