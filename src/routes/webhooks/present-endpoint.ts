import { z } from "@hono/zod-openapi"
import { ATTEMPT_OUTCOMES, ENDPOINT_EVENTS } from "../../../schema/vocabulary.ts"
import type { WatchedSubscription } from "../../adapters/store/webhooks/webhook-endpoints.ts"
import { iso } from "../../domain/time.ts"

const time = z.iso.datetime()

export const ENDPOINT_ID = z.string().openapi({ example: "whe_0123456789abcdef01234567" })

export const AccountEndpoint = z
  .object({
    endpoint_id: ENDPOINT_ID,
    url: z.string().openapi({ example: "https://hooks.example.org/mailverdict" }),
    events: z.array(z.enum(ENDPOINT_EVENTS)).openapi({ description: "The events that it gets" }),
    description: z.string().openapi({ description: "The account's own note; empty without one" }),
    state: z.enum(["active", "failing", "paused", "disabled"]).openapi({
      description:
        "`paused`: no events are created for it. `failing`: its last attempt failed and retries follow. `disabled`: it failed for too long, or answered 410; a test, a redelivery or `paused: false` enables it",
    }),
    created_at: time,
    paused_at: time.nullable(),
    failing_since: time.nullable().openapi({ description: "The first failure since its last success" }),
    disabled_at: time.nullable(),
    last_attempt_at: time.nullable(),
    last_outcome: z.enum(ATTEMPT_OUTCOMES).nullable().openapi({ description: "Only `delivered` is a success" }),
    last_http_status: z.int().nullable().openapi({ description: "Null without a response" }),
  })
  .openapi("AccountWebhookEndpoint")

export function presentAccountEndpoint(one: WatchedSubscription): z.infer<typeof AccountEndpoint> {
  return {
    endpoint_id: one.endpointId,
    url: one.url,
    events: [...one.events],
    description: one.description,
    state: stateOf(one),
    created_at: iso(one.createdAt),
    paused_at: iso(one.pausedAt),
    failing_since: iso(one.failingSince),
    disabled_at: iso(one.disabledAt),
    last_attempt_at: iso(one.lastAttemptAt),
    last_outcome: one.lastOutcome,
    last_http_status: one.lastHttpStatus,
  }
}

function stateOf({ pausedAt, disabledAt, failingSince }: WatchedSubscription) {
  if (pausedAt !== null) return "paused"
  if (disabledAt !== null) return "disabled"
  return failingSince === null ? "active" : "failing"
}
