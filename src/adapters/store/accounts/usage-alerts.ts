import { eq, sql } from "drizzle-orm"
import { alertSettings } from "../../../../schema/tables/billing.ts"
import type { UsageAlert } from "../../../domain/accounts/usage.ts"
import type { Database } from "../database.ts"

export type AlertSettings = Omit<typeof alertSettings.$inferSelect, "accountId">

/** An alert with what is needed to tell it. */
export interface DueAlert extends UsageAlert, AlertSettings {
  readonly accountId: string
  readonly reachedAt: number
  /** The proven mailbox; null without one. */
  readonly email: string | null
}

/** An alert is given up after this many failed attempts, a minute apart. */
const MOST_FAILURES = 60

const BY_DEFAULT: AlertSettings = { mail: true, webhookUrl: null }

export function createUsageAlertStore(database: Database) {
  return {
    async settings(accountId: string): Promise<AlertSettings> {
      const { mail, webhookUrl } = alertSettings
      const own = database
        .select({ mail, webhookUrl })
        .from(alertSettings)
        .where(eq(alertSettings.accountId, accountId))
      return (await own)[0] ?? BY_DEFAULT
    },

    async setSettings(accountId: string, { mail, webhookUrl }: AlertSettings) {
      const set = { mail, webhookUrl }
      await database
        .insert(alertSettings)
        .values({ accountId, ...set })
        .onConflictDoUpdate({ target: alertSettings.accountId, set })
    },

    /** Records that an account reached a threshold. A second call for the same month changes nothing. */
    async reach({
      accountId,
      period,
      percent,
      credits,
      at,
    }: UsageAlert & { readonly accountId: string; readonly at: number }) {
      await database.run(sql`INSERT OR IGNORE INTO usage_alerts (account_id, period, percent, credits, reached_at)
        VALUES (${accountId}, ${period}, ${percent}, ${credits}, ${at})`)
    },

    /**
     * Claims the month's alerts that are not sent yet, so that no other call gets them. An account without a proven mailbox,
     * webhook and endpoint keeps its alerts until it has one. @param now Unix ms
     */
    async take({ now, period, limit }: { now: number; period: string; limit: number }): Promise<DueAlert[]> {
      const taken = await database.all<
        Omit<DueAlert, "mail"> & { mail: number }
      >(sql`UPDATE usage_alerts SET told_at = ${now}
        WHERE rowid IN (SELECT rowid FROM usage_alerts AS u
          WHERE told_at IS NULL AND period = ${period} AND failures < ${MOST_FAILURES}
            AND (EXISTS (SELECT 1 FROM accounts AS a WHERE a.account_id = u.account_id AND a.email IS NOT NULL)
              OR EXISTS (SELECT 1 FROM alert_settings AS s WHERE s.account_id = u.account_id AND s.webhook_url IS NOT NULL)
              OR EXISTS (SELECT 1 FROM webhook_subscriptions AS w, json_each(w.events) AS e
                WHERE w.account_id = u.account_id AND w.paused_at IS NULL AND e.value = 'usage.threshold'))
          ORDER BY reached_at LIMIT ${limit})
        RETURNING account_id AS "accountId", period, percent, credits, reached_at AS "reachedAt",
          coalesce((SELECT s.mail FROM alert_settings AS s WHERE s.account_id = usage_alerts.account_id), 1) AS mail,
          (SELECT s.webhook_url FROM alert_settings AS s WHERE s.account_id = usage_alerts.account_id) AS "webhookUrl",
          (SELECT a.email FROM accounts AS a WHERE a.account_id = usage_alerts.account_id) AS email`)
      return taken.map(({ mail, ...alert }) => ({ ...alert, mail: mail === 1 }))
    },

    /** Returns an alert whose messages could not be sent, for another attempt. */
    async giveBack({ accountId, period, percent }: Pick<DueAlert, "accountId" | "period" | "percent">) {
      await database.run(sql`UPDATE usage_alerts SET told_at = NULL, failures = failures + 1
        WHERE account_id = ${accountId} AND period = ${period} AND percent = ${percent}`)
    },
  }
}
