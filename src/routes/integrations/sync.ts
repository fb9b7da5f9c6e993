import { z } from "@hono/zod-openapi"
import { PLACEHOLDERS, type SendProvider, SYNC_PROVIDERS, type SyncProvider } from "../../../schema/vocabulary.ts"
import type { Message } from "../../adapters/integrations/contact-book.ts"
import { type Endpoint, endpointsOf, member } from "../../http/endpoint.ts"
import { orElse } from "../../http/fields.ts"
import { sendMessage } from "../../services/integrations/integrations.ts"
import { startSync } from "../../services/integrations/run-sync.ts"
import { Event, IntegrationId, presentEvent, presentSync, Sync } from "./present-integration.ts"

const endpoint = endpointsOf("integrations")

const integrationId = IntegrationId.shape.integration_id
  .nullish()
  .openapi({ description: "Required with several integrations of this provider" })

const SYNCS: Readonly<Record<SyncProvider, { title: string; effect: string }>> = {
  hubspot: {
    title: "HubSpot",
    effect: "Verifies HubSpot's contacts and writes status and score into two of their properties.",
  },
  salesforce: {
    title: "Salesforce",
    effect: "Verifies Salesforce's contacts or leads and writes status and score into two custom fields.",
  },
  mailchimp: {
    title: "Mailchimp",
    effect: "Verifies the members of a Mailchimp audience. Unsafe ones are tagged or unsubscribed.",
  },
  klaviyo: {
    title: "Klaviyo",
    effect: "Verifies the profiles of a Klaviyo list and writes properties. Unsafe ones may be suppressed.",
  },
}

const syncs = SYNC_PROVIDERS.map((provider) =>
  endpoint("key", `POST /integrations/${provider}/sync`, {
    operationId: `sync${capitalized(provider)}`,
    summary: `Sync with ${SYNCS[provider].title}`,
    description: `${SYNCS[provider].effect} It starts within a minute and runs page by page; \`GET /integrations/status\` shows its progress. A stopped sync resumes, a running sync is not changed. Verifications cost the usual credits.`,
    json: z
      .object({
        integration_id: integrationId,
        restart: orElse(z.boolean(), false).describe("Start from the beginning instead of resuming a stopped sync"),
      })
      .openapi({ example: { restart: false } }),
    answer: Sync,
    problems: [400, 404, 409],
    async handle(c) {
      const { integration_id, restart } = c.req.valid("json")
      const request = { caller: member(c), provider, integrationId: integration_id ?? null, restart }
      return presentSync(await startSync(c.var.ctx, request))
    },
  }),
)

const text = z.string().trim().min(1).max(4_000)
const SEND_DESCRIPTION =
  "At most 60 messages a minute for an integration. 400 if the provider rejects it, 503 if it is unreachable or its answer is unreadable; the log has each."

const slack = sending({
  provider: PLACEHOLDERS.tool_c,
  summary: "Send a message to Slack",
  body: z
    .object({
      integration_id: integrationId,
      text: text.describe("In Slack's mrkdwn format"),
      channel: z.string().min(1).max(81).nullish().describe("Only with a bot token; a webhook has its own channel"),
    })
    .openapi({ example: { text: "The list of May is verified: 3 of 200 addresses are invalid." } }),
  toMessage: ({ text, channel }) => ({ text, channel: channel ?? null, payload: null }),
})

const zapier = sending({
  provider: PLACEHOLDERS.tool_d,
  summary: "Send a message to Zapier",
  body: z
    .object({
      integration_id: integrationId,
      text: orElse(text, "Mailverdict").openapi({ description: "Title of the message" }),
      payload: z.record(z.string().max(100), z.unknown()).nullish().describe("Data for the Zap"),
    })
    .openapi({ example: { text: "A list is verified", payload: { list: "may", invalid: 3 } } }),
  toMessage: ({ text, payload }) => ({ text, channel: null, payload: payload ?? null }),
})

interface Sending<T extends z.ZodType> {
  readonly provider: SendProvider
  readonly summary: string
  readonly body: T
  readonly toMessage: (body: z.output<T>) => Message
}

/** The endpoint of a provider that accepts messages. */
function sending<T extends z.ZodType<{ integration_id?: string | null | undefined }>>(of: Sending<T>): Endpoint {
  const { provider, summary, body, toMessage } = of
  return endpoint("key", `POST /integrations/${provider}/send`, {
    operationId: `send${capitalized(provider)}`,
    summary,
    description: SEND_DESCRIPTION,
    json: body,
    answer: Event,
    problems: [400, 404],
    async handle(c) {
      const given = c.req.valid("json" as never) as z.output<T>
      const { accountId } = member(c)
      const request = { accountId, provider, integrationId: given.integration_id ?? null, message: toMessage(given) }
      return presentEvent(await sendMessage(c.var.ctx, request))
    },
  })
}

export const integrationActionEndpoints: Endpoint[] = [...syncs, slack, zapier]

function capitalized(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
}
