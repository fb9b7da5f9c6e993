import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { TIERS } from "../vocabulary.ts"

/** Paying customer of each account, by the payment processor's id. */
export const billingCustomers = sqliteTable(
  "billing_customers",
  { customerId: text().primaryKey(), accountId: text().notNull() },
  (table) => [index("billing_customers_account").on(table.accountId)],
)

/** Latest state of subscriptions. Events arrive late and out of order: only a newer event changes a row. */
export const subscriptions = sqliteTable(
  "subscriptions",
  {
    subscriptionId: text().primaryKey(),
    customerId: text().notNull(),
    /** The processor's status: active, trialing, past_due, canceled, unpaid … */
    status: text().notNull(),
    tier: text({ enum: TIERS }).notNull(),
    /** Unix seconds, both, as the processor sends them. */
    periodEnd: integer(),
    toldAt: integer().notNull(),
  },
  (table) => [index("subscriptions_customer").on(table.customerId)],
)

/** Processed events, and checkouts whose credits were added or revoked (`cs_…`). A repeated event changes nothing. */
export const billingEvents = sqliteTable("billing_events", {
  eventId: text().primaryKey(),
  type: text().notNull(),
  /** Unix milliseconds. */
  receivedAt: integer().notNull(),
})
