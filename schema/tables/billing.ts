import { sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { OFFER_DECISIONS, TIERS } from "../vocabulary.ts"

/** Paying customer of each account, by the payment processor's id. */
export const billingCustomers = sqliteTable(
  "billing_customers",
  {
    customerId: text().primaryKey(),
    accountId: text().notNull(),
    /** Linked by an accepted offer: another person may have paid. The account's own checkouts do not use it. */
    isOffered: integer({ mode: "boolean" }).notNull().default(false),
  },
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

/**
 * Payments in the name of a mailbox that an account owns already, by checkout. Any person can pay in any mailbox's name, so
 * the customer is linked when the mailbox's owner accepts. The state of a subscription is in `subscriptions`.
 */
export const paymentOffers = sqliteTable(
  "payment_offers",
  {
    offerId: text().primaryKey(),
    /** The processor's ids, both. */
    checkoutId: text().notNull().unique(),
    customerId: text().notNull(),
    /** The mailbox, by its cache key. Null after its erasure: then only the operator decides about the money. */
    email: text(),
    /** The plan or the credits that were bought. Both are null for a plan that only its subscription names. */
    tier: text({ enum: TIERS }),
    credits: integer(),
    /** In the smallest unit of the currency. Null when the processor did not report it. */
    amount: integer(),
    /** ISO 4217, in lower case. */
    currency: text(),
    decision: text({ enum: OFFER_DECISIONS }),
    /** Unix milliseconds, both. */
    createdAt: integer().notNull(),
    decidedAt: integer(),
  },
  (table) => [index("payment_offers_email").on(table.email), index("payment_offers_created").on(table.createdAt)],
)

/** Processed events, and checkouts whose credits were added or revoked (`cs_…`). A repeated event changes nothing. */
export const billingEvents = sqliteTable("billing_events", {
  eventId: text().primaryKey(),
  type: text().notNull(),
  /** Unix milliseconds. */
  receivedAt: integer().notNull(),
})

/** Where an account wants to hear that its month's credits run out. Without a row: by mail. */
export const alertSettings = sqliteTable("alert_settings", {
  accountId: text().primaryKey(),
  mail: integer({ mode: "boolean" }).notNull(),
  /** Null without a webhook. */
  webhookUrl: text(),
})

/** A threshold that an account reached in a month. It causes one alert. */
export const usageAlerts = sqliteTable(
  "usage_alerts",
  {
    accountId: text().notNull(),
    /** UTC month, "2026-11". */
    period: text().notNull(),
    /** Percent of the month's credits. */
    percent: integer().notNull(),
    /** The month's credits when it was reached. */
    credits: integer().notNull(),
    /** Unix milliseconds, both. `toldAt`: when its messages were sent; null until then. */
    reachedAt: integer().notNull(),
    toldAt: integer(),
    /** Failed attempts to send its messages. */
    failures: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.period, table.percent] }),
    index("usage_alerts_untold").on(table.reachedAt).where(sql`told_at IS NULL`),
  ],
)
