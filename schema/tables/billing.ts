import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { TIERS } from "../vocabulary.ts"

/** Who pays for which account, by the payment processor's own id. */
export const billingCustomers = sqliteTable(
  "billing_customers",
  { customerId: text().primaryKey(), accountId: text().notNull() },
  (table) => [index("billing_customers_account").on(table.accountId)],
)

/** Subscriptions as last told. Events come late and out of order: only a newer one changes a row. */
export const subscriptions = sqliteTable(
  "subscriptions",
  {
    subscriptionId: text().primaryKey(),
    customerId: text().notNull(),
    /** The processor's word: active, trialing, past_due, canceled, unpaid … */
    status: text().notNull(),
    tier: text({ enum: TIERS }).notNull(),
    /** Unix seconds, both, as the processor counts. */
    periodEnd: integer(),
    toldAt: integer().notNull(),
  },
  (table) => [index("subscriptions_customer").on(table.customerId)],
)

/** Events that have been handled, and checkouts whose credits were added or taken back (`cs_…`): told again they change nothing. */
export const billingEvents = sqliteTable("billing_events", {
  eventId: text().primaryKey(),
  type: text().notNull(),
  /** Unix milliseconds. */
  receivedAt: integer().notNull(),
})
