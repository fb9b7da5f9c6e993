import { z } from "@hono/zod-openapi"
import { ATTEMPT_OUTCOMES, EVENT_STATES, EVENT_TYPES } from "../../../schema/vocabulary.ts"
import type { EndpointStats, WebhookSecret } from "../../adapters/store/webhooks/webhook-endpoints.ts"
import { iso } from "../../domain/time.ts"
import { arrayOf, component, share } from "../../http/fields.ts"
import type { DeliveryPage } from "../../services/webhooks/deliveries.ts"
import type { ShownSecret } from "../../services/webhooks/secrets.ts"

const time = z.iso.datetime()
const EVENT_ID = { example: "evt_0123456789abcdef0123456789abcdef" }
const outcome = z.enum(ATTEMPT_OUTCOMES).openapi({ description: "Only `delivered` is a success" })
const httpStatus = z.int().nullable().openapi({ description: "Null without a response" })

export const WebhookEndpoint = component("WebhookEndpoint", {
  url: z.string(),
  state: z.enum(["active", "failing", "disabled"]),
  events: z.object({ pending: z.int(), delivered: z.int(), failed: z.int(), disabled: z.int() }),
  failing_since: time.nullable(),
  disabled_at: time.nullable(),
  last_attempt_at: time.nullable(),
  last_outcome: outcome.nullable(),
  last_http_status: httpStatus,
  next_attempt_at: time.nullable(),
})

export const WebhookStats = component("WebhookStats", {
  attempts_24h: z.record(z.enum(ATTEMPT_OUTCOMES), z.int()),
  success_rate_24h: share.nullable().openapi({ description: "Null without attempts" }),
  endpoints: z.array(WebhookEndpoint),
})

export function presentEndpoint(one: EndpointStats): z.infer<typeof WebhookEndpoint> {
  const isFailing = one.failingSince !== null
  return {
    url: one.url,
    state: one.disabledAt !== null ? "disabled" : isFailing ? "failing" : "active",
    events: { ...one.events },
    failing_since: iso(one.failingSince),
    disabled_at: iso(one.disabledAt),
    last_attempt_at: iso(one.lastAttemptAt),
    last_outcome: one.lastOutcome,
    last_http_status: one.lastHttpStatus,
    next_attempt_at: iso(one.nextAttemptAt),
  }
}

export const EventId = z.object({
  event_id: z
    .string()
    .max(64)
    .openapi({ description: "Id of the event", ...EVENT_ID }),
})

export const Deliveries = component("WebhookDeliveries", {
  deliveries: arrayOf({
    event_id: z.string().openapi({ ...EVENT_ID, description: "The webhook-id header, the same at every attempt" }),
    type: z.enum(EVENT_TYPES),
    url: z.string(),
    endpoint_id: z.string().nullable().openapi({ description: "Null for a URL that is no endpoint of the account" }),
    state: z
      .enum(EVENT_STATES)
      .openapi({ description: "`disabled`: not sent, because its receiver was disabled or removed" }),
    created_at: time,
    next_attempt_at: time.nullable().openapi({ description: "Null when no further attempt follows" }),
    payload: z.record(z.string(), z.unknown()).openapi({ description: "The body as it is sent" }),
    attempts: arrayOf({ attempt: z.int(), outcome, http_status: httpStatus, started_at: time, duration_ms: z.int() }),
  }),
  next_cursor: z.string().nullable(),
})

export function presentDeliveries({ deliveries, next }: DeliveryPage): z.infer<typeof Deliveries> {
  return {
    deliveries: deliveries.map(({ eventId, type, url, endpointId, state, createdAt, dueAt, payload, log }) => ({
      event_id: eventId,
      type,
      url,
      endpoint_id: endpointId,
      state,
      created_at: iso(createdAt),
      next_attempt_at: state === "pending" ? iso(dueAt) : null,
      payload: payload as Record<string, unknown>,
      attempts: log.map(({ attempt, outcome, httpStatus, startedAt, durationMs }) => ({
        attempt,
        outcome,
        http_status: httpStatus,
        started_at: iso(startedAt),
        duration_ms: durationMs,
      })),
    })),
    next_cursor: next && `${next.createdAt}.${next.eventId}`,
  }
}

export const NewWebhookSecret = component("NewWebhookSecret", {
  secret: z.string().openapi({ description: "Shown only once", example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" }),
  created_at: time,
})

export function presentSecret({ secret, createdAt }: ShownSecret): z.infer<typeof NewWebhookSecret> {
  return { secret, created_at: iso(createdAt) }
}

export const WebhookSecrets = component("WebhookSecrets", {
  secrets: arrayOf({
    secret_id: z.string(),
    created_at: time,
    shown: z.boolean().openapi({ description: "False until POST has shown it, once" }),
    expires_at: time.nullable().openapi({ description: "Until then it also signs, besides the newer secret" }),
  }),
})

export function presentSecrets(secrets: readonly WebhookSecret[]): z.infer<typeof WebhookSecrets> {
  return {
    secrets: secrets.map(({ secretId, createdAt, shownAt, expiresAt }) => ({
      secret_id: secretId,
      created_at: iso(createdAt),
      shown: shownAt !== null,
      expires_at: iso(expiresAt),
    })),
  }
}
