import { createRoute, z } from "@hono/zod-openapi"
import { ATTEMPT_OUTCOMES, ENDPOINT_EVENTS } from "../../../schema/vocabulary.ts"
import type { WatchedSubscription } from "../../adapters/store/webhooks/webhook-endpoints.ts"
import { iso } from "../../domain/time.ts"
import { type Endpoint, endpoint, member } from "../../http/endpoint.ts"
import { json } from "../../http/fields.ts"
import { ok, problem } from "../../http/responses.ts"
import {
  addEndpoint,
  changeEndpoint,
  MAX_ENDPOINTS,
  removeEndpoint,
  testEndpoint,
} from "../../services/webhooks/endpoints.ts"

const time = z.iso.datetime()

const ENDPOINT_ID = z.string().openapi({ example: "whe_0123456789abcdef01234567" })

const AccountEndpoint = z
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
const params = z.object({ endpoint_id: ENDPOINT_ID.max(64) })

const list = endpoint(
  "key",
  createRoute({
    method: "get",
    path: "/webhooks/endpoints",
    operationId: "listWebhookEndpoints",
    tags: ["webhooks"],
    summary: "List the endpoints",
    description: "Returns the account's webhook endpoints with their state, the oldest first.",
    responses: {
      200: ok(
        z.object({
          endpoints: z.array(AccountEndpoint),
          max_endpoints: z.int().openapi({ description: "Endpoints that an account can have", example: MAX_ENDPOINTS }),
        }),
      ),
    },
  }),
  async (c) => {
    const endpoints = await c.var.ctx.store.webhookSubscriptions.watch(member(c).accountId)
    return c.json({ endpoints: endpoints.map(presentAccountEndpoint), max_endpoints: MAX_ENDPOINTS }, 200)
  },
)

const add = endpoint(
  "key",
  createRoute({
    method: "post",
    path: "/webhooks/endpoints",
    operationId: "addWebhookEndpoint",
    tags: ["webhooks"],
    summary: "Add an endpoint",
    description: `Adds an https URL that gets the chosen events of the account from now on. An account has at most ${MAX_ENDPOINTS}, each with another URL. A URL given with a list gets that list's events as well, and never twice.`,
    request: {
      body: json(
        z.object({
          url: z.string().max(2_048).openapi({
            description:
              "An HTTPS URL, or `poll:` and a name (letters, digits and `.:/_-`, at most 200) for a receiver without a public URL: nothing is sent, and it reads its events from /webhooks/deliveries",
            example: "https://hooks.example.org/mailverdict",
          }),
          events,
          description: description.nullish(),
        }),
      ),
    },
    responses: { 200: ok(AccountEndpoint), ...problem(409) },
  }),
  async (c) => {
    const { url, events, description } = c.req.valid("json")
    const { accountId } = member(c)
    const added = { accountId, url, events, description: description ?? "" }
    return c.json(presentAccountEndpoint(await addEndpoint(c.var.ctx, c.var.meter, added)), 200)
  },
)

const change = endpoint(
  "key",
  createRoute({
    method: "patch",
    path: "/webhooks/endpoints/{endpoint_id}",
    operationId: "changeWebhookEndpoint",
    tags: ["webhooks"],
    summary: "Change an endpoint",
    description:
      "Changes an endpoint's events or description, or pauses and resumes it. No events are created for a paused endpoint, and none are sent later for the time of the pause. Events that already wait are still sent. `paused: false` also enables a disabled endpoint.",
    request: {
      params,
      body: json(
        z.object({
          events: events.optional(),
          paused: z.boolean().optional().openapi({ example: true }),
          description: description.optional(),
        }),
      ),
    },
    responses: { 200: ok(AccountEndpoint), ...problem(404) },
  }),
  async (c) => {
    const which = { accountId: member(c).accountId, endpointId: c.req.valid("param").endpoint_id }
    return c.json(presentAccountEndpoint(await changeEndpoint(c.var.ctx, which, c.req.valid("json"))), 200)
  },
)

const remove = endpoint(
  "key",
  createRoute({
    method: "delete",
    path: "/webhooks/endpoints/{endpoint_id}",
    operationId: "removeWebhookEndpoint",
    tags: ["webhooks"],
    summary: "Remove an endpoint",
    description: "Removes an endpoint. Events that wait for it are not sent anymore.",
    request: { params },
    responses: { 200: ok(z.object({ endpoint_id: ENDPOINT_ID, deleted: z.literal(true) })), ...problem(404) },
  }),
  async (c) => {
    const { endpoint_id } = c.req.valid("param")
    await removeEndpoint(c.var.ctx, { accountId: member(c).accountId, endpointId: endpoint_id })
    return c.json({ endpoint_id, deleted: true as const }, 200)
  },
)

const sendTest = endpoint(
  "key",
  createRoute({
    method: "post",
    path: "/webhooks/endpoints/{endpoint_id}/test",
    operationId: "testWebhookEndpoint",
    tags: ["webhooks"],
    summary: "Test an endpoint",
    description:
      "Sends a signed event `webhook.test` to an endpoint, also to a paused or disabled one. Delivered and retried like any event. /webhooks/deliveries?event_id= shows the outcome. Enables a disabled endpoint.",
    request: { params },
    responses: {
      200: ok(z.object({ event_id: z.string().openapi({ example: "evt_0123456789abcdef0123456789abcdef" }) })),
      ...problem(404),
    },
  }),
  async (c) => {
    const which = { accountId: member(c).accountId, endpointId: c.req.valid("param").endpoint_id }
    return c.json({ event_id: await testEndpoint(c.var.ctx, c.var.meter, which) }, 200)
  },
)

export const accountEndpointEndpoints: Endpoint[] = [list, add, change, remove, sendTest]
