import type { DueAlert } from "../../adapters/store/accounts/usage-alerts.ts"
import type { Context } from "../../context.ts"
import { periodOf } from "../../domain/accounts/tiers.ts"
import { alertMail } from "../../domain/accounts/usage.ts"
import { publishEvent } from "../webhooks/publish-event.ts"

/** Alerts that one run sends. */
const AT_ONCE = 50

/**
 * Notifies accounts by mail and webhook that 80 or 100 percent of their month's credits are used, each once. An account that
 * reached both before it could be notified is notified of the higher one only.
 */
export async function sendUsageAlerts(ctx: Context): Promise<void> {
  const now = ctx.clock.now()
  const due = await ctx.store.usageAlerts.take({ now, period: periodOf(now), limit: AT_ONCE })
  const isPassed = ({ accountId, percent }: DueAlert) =>
    due.some((other) => other.accountId === accountId && other.percent > percent)
  for (const alert of due)
    if (!isPassed(alert)) await notify(ctx, alert).catch(() => ctx.store.usageAlerts.giveBack(alert))
}

async function notify(ctx: Context, { accountId, mail, webhookUrl, email, ...alert }: DueAlert): Promise<void> {
  const { period, percent, credits, reachedAt } = alert
  // The event's id follows from what it is about, so a repeated attempt publishes no second one.
  await publishEvent(ctx, {
    accountId,
    url: webhookUrl,
    type: "usage.threshold",
    about: `${accountId} ${period} ${percent}`,
    data: () => ({
      account_id: accountId,
      period,
      percent,
      credits_limit: credits,
      reached_at: new Date(reachedAt).toISOString(),
    }),
  })
  if (mail && email !== null && ctx.mailer.isConfigured)
    await ctx.mailer.send({ to: email, ...alertMail(alert, `${ctx.config.baseUrl}/console/#/billing`) })
}
