import { createRoute, z } from "@hono/zod-openapi"
import type { AlertSettings } from "../../adapters/store/accounts/usage-alerts.ts"
import { ALERT_PERCENTS } from "../../domain/accounts/usage.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { json } from "../../http/fields.ts"
import { member } from "../../http/member.ts"
import { ok } from "../../http/responses.ts"
import { readWebhookUrl } from "../../services/webhooks/read-webhook-url.ts"

const Alerts = z
  .object({
    mail: z.boolean().openapi({ description: "To the account's confirmed mailbox; on by default" }),
    webhook_url: z.string().nullable().openapi({
      description: "Receives `usage.threshold`; null for none",
      example: "https://hooks.example.org/usage",
    }),
    percents: z.array(z.int()).openapi({ description: "Each is told once a month", example: [...ALERT_PERCENTS] }),
  })
  .openapi("UsageAlerts")

const present = ({ mail, webhookUrl }: AlertSettings): z.infer<typeof Alerts> => ({
  mail,
  webhook_url: webhookUrl,
  percents: [...ALERT_PERCENTS],
})

const read = endpoint(
  "key",
  createRoute({
    method: "get",
    path: "/me/alerts",
    operationId: "usageAlerts",
    tags: ["account"],
    summary: "Get the usage alerts",
    description: "Returns where the account is notified when 80 and 100 % of the month's credits are used.",
    responses: { 200: ok(Alerts) },
  }),
  async (c) => c.json(present(await c.var.ctx.store.usageAlerts.settings(member(c).accountId)), 200),
)

const change = endpoint(
  "key",
  createRoute({
    method: "put",
    path: "/me/alerts",
    operationId: "setUsageAlerts",
    tags: ["account"],
    summary: "Change the usage alerts",
    description:
      "Turns the mail on or off, and sets or removes a webhook URL for `usage.threshold`. Each threshold is reported once a month.",
    request: {
      body: json(
        z.object({
          mail: z.boolean().openapi({ example: true }),
          webhook_url: z.string().max(2_000).nullish().openapi({ example: "https://hooks.example.org/usage" }),
        }),
      ),
    },
    responses: { 200: ok(Alerts) },
  }),
  async (c) => {
    const { mail, webhook_url } = c.req.valid("json")
    const settings = { mail, webhookUrl: (await readWebhookUrl(c.var.ctx, webhook_url ?? "")) || null }
    await c.var.ctx.store.usageAlerts.setSettings(member(c).accountId, settings)
    return c.json(present(settings), 200)
  },
)

export const alertEndpoints: Endpoint[] = [read, change]
