import { z } from "@hono/zod-openapi"
import { INTEGRATION_PROVIDERS } from "../../../schema/vocabulary.ts"
import { Connection } from "../../../schema/wire/integrations.ts"
import { type Endpoint, endpointsOf, member } from "../../http/endpoint.ts"
import { arrayOf, component, orElse, textCursor, wholeNumberOr } from "../../http/fields.ts"
import {
  createIntegration,
  deleteIntegration,
  integrationStatus,
  listEvents,
  testConnection,
} from "../../services/integrations/integrations.ts"
import {
  Events,
  Integration,
  IntegrationId,
  IntegrationsStatus,
  presentEvents,
  presentIntegration,
  presentStatus,
  presentSync,
  Sync,
} from "./present-integration.ts"
import { integrationActionEndpoints } from "./sync.ts"

const endpoint = endpointsOf("integrations")

const EXAMPLE = {
  provider: "hubspot",
  name: "our CRM",
  credentials: { access_token: "pat-eu1-0123-4567" },
  settings: { status_property: "mailverdict_status" },
}

const list = endpoint("key", "GET /integrations", {
  operationId: "listIntegrations",
  summary: "List the integrations",
  description: "Returns the account's connected services, newest first, without their credentials.",
  answer: z.object({ integrations: z.array(Integration), total: z.int() }),
  async handle(c) {
    const found = await c.var.ctx.store.integrations.list(member(c).accountId)
    return { integrations: found.map(presentIntegration), total: found.length }
  },
})

const create = endpoint("key", "POST /integrations", {
  operationId: "createIntegration",
  summary: "Connect a service",
  description:
    "Connects a CRM, a marketing tool or a messenger. The credentials are encrypted and never shown again. With `verify` they are first tested at the provider: 400 if it rejects them, 503 if it is unreachable or its answer is unreadable. Nothing is stored then.",
  json: z
    .intersection(
      Connection,
      z.object({
        name: z.string().trim().min(1).max(100).nullish().describe("The provider's name when left out"),
        verify: orElse(z.boolean(), false).openapi({
          description: "Test the connection first, and refuse one that fails",
        }),
      }),
    )
    .openapi({ example: EXAMPLE }),
  answer: Integration,
  problems: [400, 409],
  async handle(c) {
    const { name, verify, ...connection } = c.req.valid("json")
    const { accountId } = member(c)
    const made = { accountId, name: name ?? connection.provider, connection, verify }
    const integration = await createIntegration(c.var.ctx, made)
    c.set("auditNote", { subject: integration.integrationId, details: { provider: integration.provider } })
    return presentIntegration(integration)
  },
})

const test = endpoint("key", "POST /integrations/test", {
  operationId: "testIntegration",
  summary: "Test an integration",
  description:
    "Tests the credentials of an integration, or new ones that are not stored. 400 if the provider rejects them, 503 if it is unreachable or its answer is unreadable. The answer lists the requests that the test made, and an error names the last one. The test changes nothing there; a Zapier hook gets a sample. Salesforce may replace a refresh token on use: create the integration first, then test it by its id.",
  json: z.union([IntegrationId, Connection]).openapi({ example: { integration_id: "int_q7Zl0c2hT5e3vXnK1bYw9A" } }),
  answer: component("TestedIntegration", {
    status: z.literal("ok"),
    provider: z.enum(INTEGRATION_PROVIDERS),
    account: z.string().nullable().openapi({ description: "The owner of the credentials, if the provider names it" }),
    elapsed_ms: z.int(),
    requests: arrayOf({
      method: z.string().openapi({ example: "GET" }),
      url: z.string().openapi({
        description: "The path of a hook is masked",
        example: "https://api.hubapi.com/account-info/2026-09/details",
      }),
      headers: z.record(z.string(), z.string()).openapi({
        description: "Values that may be secret are masked",
        example: { accept: "application/json", authorization: "***" },
      }),
      http_status: z.int().nullable().openapi({ description: "The answer's status; null without an answer" }),
      elapsed_ms: z.int(),
    }).openapi({ description: "The requests that the test made at the provider, in order" }),
  }),
  problems: [400, 404],
  async handle(c) {
    const body = c.req.valid("json")
    const subject = "integration_id" in body ? { integrationId: body.integration_id } : { connection: body }
    const { provider, account, requests, elapsedMs } = await testConnection(c.var.ctx, { ...member(c), subject })
    const made = requests.map(({ method, url, headers, ...answer }) => ({
      method,
      url,
      headers: { ...headers },
      http_status: answer.httpStatus,
      elapsed_ms: answer.elapsedMs,
    }))
    return { status: "ok" as const, provider, account, elapsed_ms: elapsedMs, requests: made }
  },
})

const remove = endpoint("key", "DELETE /integrations/{integration_id}", {
  operationId: "deleteIntegration",
  summary: "Delete an integration",
  description:
    "Deletes an integration with its credentials, syncs and log. `ended_sync` names the sync that it ended. Data at the provider stays.",
  params: IntegrationId,
  answer: z.object({
    status: z.literal("deleted"),
    integration_id: z.string(),
    ended_sync: z.union([Sync, z.null()]).openapi({
      description: "The sync that this ended before it was complete; null without one. Written contacts stay written",
    }),
  }),
  problems: [404],
  async handle(c) {
    const { integration_id } = c.req.valid("param")
    const { accountId } = member(c)
    const ended = await deleteIntegration(c.var.ctx, { integrationId: integration_id, accountId })
    return { status: "deleted" as const, integration_id, ended_sync: ended && presentSync(ended) }
  },
})

const events = endpoint("key", "GET /integrations/{integration_id}/events", {
  operationId: "listIntegrationEvents",
  summary: "List an integration's events",
  description:
    "Returns what was sent to the provider and how it answered, newest first. Events are stored for 90 days.",
  params: IntegrationId,
  query: z.object({
    limit: wholeNumberOr(50, { min: 1, max: 100, description: "Events per page" }),
    cursor: textCursor(/^\d{1,15}\.iev_[\w-]{1,64}$/),
  }),
  answer: Events,
  problems: [404],
  async handle(c) {
    const { limit, cursor } = c.req.valid("query")
    const dot = cursor?.indexOf(".") ?? 0
    const before = cursor ? { createdAt: Number(cursor.slice(0, dot)), eventId: cursor.slice(dot + 1) } : null
    const { accountId } = member(c)
    const integrationId = c.req.valid("param").integration_id
    return presentEvents(await listEvents(c.var.ctx, { integrationId, accountId, limit, before }))
  },
})

const status = endpoint("key", "GET /integrations/status", {
  operationId: "integrationsStatus",
  summary: "Get the integrations' health",
  description: "Returns the health of each integration, its newest sync with its progress, and the last 24 hours.",
  answer: IntegrationsStatus,
  handle: async (c) => presentStatus(await integrationStatus(c.var.ctx, member(c).accountId)),
})

export const integrationEndpoints: Endpoint[] = [list, create, test, remove, events, status]

export const INTEGRATIONS_ENDPOINTS: readonly Endpoint[] = [...integrationEndpoints, ...integrationActionEndpoints]
