import { z } from "@hono/zod-openapi"
import { ATTEMPT_OUTCOMES, ENDPOINT_EVENTS } from "../../../schema/vocabulary.ts"
import type { WatchedSubscription } from "../../adapters/store/webhooks/webhook-endpoints.ts"
import { iso } from "../../domain/time.ts"
import { type Endpoint, endpointsOf, member } from "../../http/endpoint.ts"
import { component } from "../../http/fields.ts"
import { PATTERNS } from "../../http/input-fields.ts"
import {
  addEndpoint,
  changeEndpoint,
  MAX_ENDPOINTS,
  removeEndpoint,
  testEndpoint,
} from "../../services/webhooks/endpoints.ts"

const endpoint = endpointsOf("webhooks")

const time = z.iso.datetime()

const ENDPOINT_ID = z.string().openapi({ example: "whe_0123456789abcdef01234567" })

const AccountEndpoint = component("AccountWebhookEndpoint", {
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

function presentAccountEndpoint(one: WatchedSubscription): z.infer<typeof AccountEndpoint> {
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

const EVENTS = [
  "`job.completed`: a list is verified.",
  "`job.failed`: a list was canceled, or ended without a result for any address.",
  "`job.partial`: of a list, only retries are left.",
  "`verification.completed`: a verification of /verify/quick ended in the background.",
  "`usage.threshold`: 80 or 100 % of the month's credits are used.",
].join(" ")

const events = z
  .array(z.enum(ENDPOINT_EVENTS))
  .min(1)
  .max(ENDPOINT_EVENTS.length)
  .openapi({ description: EVENTS, example: ["job.completed", "job.failed"] })
const description = z.string().trim().max(200).openapi({ description: "A note of your own", example: "CRM" })
const params = z.object({ endpoint_id: ENDPOINT_ID.max(64).openapi({ description: "Id of the endpoint" }) })

const list = endpoint("key", "GET /webhooks/endpoints", {
  operationId: "listWebhookEndpoints",
  summary: "List the endpoints",
  description: "Returns the account's webhook endpoints with their state, the oldest first.",
  answer: z.object({
    endpoints: z.array(AccountEndpoint),
    max_endpoints: z.int().openapi({ description: "Endpoints that an account can have", example: MAX_ENDPOINTS }),
  }),
  async handle(c) {
    const endpoints = await c.var.ctx.store.webhookSubscriptions.watch(member(c).accountId)
    return { endpoints: endpoints.map(presentAccountEndpoint), max_endpoints: MAX_ENDPOINTS }
  },
})

const add = endpoint("key", "POST /webhooks/endpoints", {
  operationId: "addWebhookEndpoint",
  summary: "Add an endpoint",
  description: `Adds an https URL that gets the chosen events of the account from now on. An account has at most ${MAX_ENDPOINTS}, each with another URL. A URL given with a list gets that list's events as well, and never twice.`,
  json: z.object({
    url: z.string().max(2_048).openapi({
      pattern: PATTERNS.endpointUrl,
      description:
        "An HTTPS URL, or `poll:` and a name (letters, digits and `.:/_-`, at most 200) for a receiver without a public URL: nothing is sent, and it reads its events from /webhooks/deliveries",
      example: "https://hooks.example.org/mailverdict",
    }),
    events,
    description: description.nullish(),
  }),
  answer: AccountEndpoint,
  problems: [409],
  async handle(c) {
    const { url, events, description } = c.req.valid("json")
    const { accountId } = member(c)
    const added = { accountId, url, events, description: description ?? "" }
    return presentAccountEndpoint(await addEndpoint(c.var.ctx, c.var.meter, added))
  },
})

const change = endpoint("key", "PATCH /webhooks/endpoints/{endpoint_id}", {
  operationId: "changeWebhookEndpoint",
  summary: "Change an endpoint",
  description:
    "Changes an endpoint's events or description, or pauses and resumes it. No events are created for a paused endpoint, and none are sent later for the time of the pause. Events that already wait are still sent. `paused: false` also enables a disabled endpoint.",
  params,
  json: z.object({
    events: events.optional(),
    paused: z.boolean().optional().openapi({ description: "Whether no events are created for it", example: true }),
    description: description.optional(),
  }),
  answer: AccountEndpoint,
  problems: [404],
  async handle(c) {
    const which = { accountId: member(c).accountId, endpointId: c.req.valid("param").endpoint_id }
    return presentAccountEndpoint(await changeEndpoint(c.var.ctx, which, c.req.valid("json")))
  },
})

const remove = endpoint("key", "DELETE /webhooks/endpoints/{endpoint_id}", {
  operationId: "removeWebhookEndpoint",
  summary: "Remove an endpoint",
  description: "Removes an endpoint. Events that wait for it are not sent anymore.",
  params,
  answer: z.object({ endpoint_id: ENDPOINT_ID, deleted: z.literal(true) }),
  problems: [404],
  async handle(c) {
    const { endpoint_id } = c.req.valid("param")
    await removeEndpoint(c.var.ctx, { accountId: member(c).accountId, endpointId: endpoint_id })
    return { endpoint_id, deleted: true as const }
  },
})

const sendTest = endpoint("key", "POST /webhooks/endpoints/{endpoint_id}/test", {
  operationId: "testWebhookEndpoint",
  summary: "Test an endpoint",
  description:
    "Sends a signed event `webhook.test` to an endpoint, also to a paused or disabled one. Delivered and retried like any event. /webhooks/deliveries?event_id= shows the outcome. Enables a disabled endpoint.",
  params,
  answer: z.object({ event_id: z.string().openapi({ example: "evt_0123456789abcdef0123456789abcdef" }) }),
  problems: [404],
  async handle(c) {
    const which = { accountId: member(c).accountId, endpointId: c.req.valid("param").endpoint_id }
    return { event_id: await testEndpoint(c.var.ctx, c.var.meter, which) }
  },
})

export const accountEndpointEndpoints: Endpoint[] = [list, add, change, remove, sendTest]
