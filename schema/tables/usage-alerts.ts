import { sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** Where an account wants to hear that its month's credits run out. Without a row: by mail. */
export const alertSettings = sqliteTable("alert_settings", {
  accountId: text().primaryKey(),
  mail: integer({ mode: "boolean" }).notNull(),
  /** Null without a webhook. */
  webhookUrl: text(),
})

/** A threshold that an account reached in a month. Each is told once. */
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
