import { z } from "@hono/zod-openapi"
import { EVENT_STATES } from "../../../schema/vocabulary.ts"
import { DAY_MS } from "../../domain/time.ts"
import { type Endpoint, endpointsOf, member } from "../../http/endpoint.ts"
import { rounded, textCursor, wholeNumberOr } from "../../http/fields.ts"
import { listDeliveries, redrive } from "../../services/webhooks/deliveries.ts"
import { listSecrets, rotateSecret, showSecret } from "../../services/webhooks/secrets.ts"
import { accountEndpointEndpoints } from "./endpoints.ts"
import {
  Deliveries,
  EventId,
  NewWebhookSecret,
  presentDeliveries,
  presentEndpoint,
  presentSecret,
  presentSecrets,
  WebhookSecrets,
  WebhookStats,
} from "./present-webhook.ts"

const endpoint = endpointsOf("webhooks")

const ENDPOINTS_SHOWN = 100

const stats = endpoint("key-or-admin", "GET /webhooks/stats", {
  operationId: "webhookStats",
  summary: "Get delivery statistics",
  description: "Returns attempts and success rates of the account's webhooks. The admin secret covers all accounts.",
  answer: WebhookStats,
  async handle(c) {
    const { webhookStats } = c.var.ctx.store
    const accountId = c.var.caller.kind === "member" ? c.var.caller.accountId : null
    const [endpoints, outcomes] = await Promise.all([
      webhookStats.endpoints(accountId, ENDPOINTS_SHOWN),
      webhookStats.outcomes(accountId, c.var.ctx.clock.now() - DAY_MS),
    ])
    const total = outcomes.reduce((sum, { count }) => sum + count, 0)
    const delivered = outcomes.find(({ outcome }) => outcome === "delivered")?.count ?? 0
    const attempts = Object.fromEntries(outcomes.map(({ outcome, count }) => [outcome, count]))
    return {
      attempts_24h: attempts as z.infer<typeof WebhookStats>["attempts_24h"],
      success_rate_24h: total === 0 ? null : rounded(delivered / total),
      endpoints: endpoints.map(presentEndpoint),
    }
  },
})

const deliveries = endpoint("key", "GET /webhooks/deliveries", {
  operationId: "listWebhookDeliveries",
  summary: "List the deliveries",
  description:
    "Returns the events of the last 30 days, newest first, each with its payload and attempts. Filter by endpoint, state or event.",
  query: z.object({
    state: z.enum(EVENT_STATES).optional().openapi({ description: "Only events in this state" }),
    endpoint_id: z.string().max(64).optional().openapi({ description: "Only those of this endpoint" }),
    event_id: z.string().max(64).optional().openapi({ description: "Only this event" }),
    limit: wholeNumberOr(50, { min: 1, max: 100, description: "Deliveries per page" }),
    cursor: textCursor(/^\d{1,15}\.evt_[\w-]{1,64}$/),
  }),
  answer: Deliveries,
  async handle(c) {
    const { state = null, endpoint_id = null, event_id = null, limit, cursor } = c.req.valid("query")
    const dot = cursor?.indexOf(".") ?? 0
    const before = cursor ? { createdAt: Number(cursor.slice(0, dot)), eventId: cursor.slice(dot + 1) } : null
    const only = { before, state, endpointId: endpoint_id, eventId: event_id }
    const page = await listDeliveries(c.var.ctx, { accountId: member(c).accountId, limit, ...only })
    return presentDeliveries(page)
  },
})

const redriveOne = endpoint("key", "POST /webhooks/deliveries/{event_id}/redrive", {
  operationId: "redriveWebhook",
  summary: "Deliver an event again",
  description:
    "Starts the attempts of an event from the beginning, and enables a disabled receiver. The `webhook-id` stays the same, so a receiver can ignore it.",
  params: EventId,
  answer: z.object({ event_id: z.string(), state: z.literal("pending") }),
  problems: [404],
  async handle(c) {
    const { event_id } = c.req.valid("param")
    await redrive(c.var.ctx, c.var.meter, { accountId: member(c).accountId, eventId: event_id })
    return { event_id, state: "pending" as const }
  },
})

const secrets = endpoint("key", "GET /webhooks/secret", {
  operationId: "listWebhookSecrets",
  summary: "List the signing secrets",
  description: "Returns the account's signing secrets without their values, and until when an old one also signs.",
  answer: WebhookSecrets,
  handle: async (c) => presentSecrets(await listSecrets(c.var.ctx, member(c).accountId)),
})

const show = endpoint("key", "POST /webhooks/secret", {
  operationId: "showWebhookSecret",
  summary: "Create the signing secret",
  description:
    "Shows the account's signing secret once, and creates it if there is none. 409 when it was shown before: rotate it then.",
  answer: NewWebhookSecret,
  problems: [409],
  handle: async (c) => presentSecret(await showSecret(c.var.ctx, member(c).accountId)),
})

const rotate = endpoint("key", "POST /webhooks/secret/rotate", {
  operationId: "rotateWebhookSecret",
  summary: "Rotate the signing secret",
  description:
    "Creates a new signing secret, shown only in this answer. The old one also signs for 24 hours, so that receivers can change over.",
  answer: NewWebhookSecret,
  problems: [409],
  handle: async (c) => presentSecret(await rotateSecret(c.var.ctx, member(c).accountId)),
})

export const webhookEndpoints: Endpoint[] = [stats, deliveries, redriveOne, secrets, show, rotate]

export const WEBHOOKS_ENDPOINTS: readonly Endpoint[] = [...webhookEndpoints, ...accountEndpointEndpoints]
