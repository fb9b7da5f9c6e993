import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { EVENT_STATES, EVENT_TYPES } from "../vocabulary.ts"

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
