import { z } from "@hono/zod-openapi"
import { ANY_SENDING_PROVIDER, SENDING_PROVIDERS } from "../../../schema/sending-providers.ts"
import { INBOUND_PROVIDERS, type InboundProvider } from "../../../schema/vocabulary.ts"
import { iso } from "../../domain/time.ts"
import { AppError } from "../../errors.ts"
import { clientIpOf } from "../../http/access.ts"
import { type Endpoint, endpointsOf, member } from "../../http/endpoint.ts"
import { component } from "../../http/fields.ts"
import { readBytes } from "../../http/request-body.ts"
import { createReceiver, findReceiver, receiveEvents } from "../../services/suppression/provider-events.ts"

const endpoint = endpointsOf("provider-events")

const provider = z.enum(INBOUND_PROVIDERS)
const receiverId = z.string().openapi({ example: "rcv_0123456789abcdef01234567" })

/** What the secret is for each provider, and where it is found. */
const SECRET = Object.values(SENDING_PROVIDERS)
  .map(({ name, secret }) => `${name}: ${secret.label} (${secret.where}).`)
  .join(" ")

const create = endpoint("key", "POST /webhooks/receivers", {
  operationId: "createReceiver",
  summary: "Create a receiver",
  description: `Makes a URL for ${ANY_SENDING_PROVIDER}, so that the provider reports events by itself. Enter the answer's \`url\` at the provider. What \`secret\` is there depends on the provider.`,
  json: z
    .object({
      provider: provider.openapi({ description: "Provider that sends the events" }),
      secret: z.string().trim().min(1).max(2_000).nullish().describe(SECRET),
    })
    .openapi({
      example: { provider: "mailgun", secret: "0123456789abcdef0123456789abcdef" },
    }),
  answer: component("CreatedReceiver", {
    receiver_id: receiverId,
    provider,
    url: z.string().openapi({ description: "Configure this URL at the provider; shown only once" }),
    bounce_url: z.string().nullable().openapi({ description: "The same receiver under /bounce; null without one" }),
    warning: z.string(),
  }),
  problems: [400, 409],
  async handle(c) {
    const { provider, secret } = c.req.valid("json")
    const made = { accountId: member(c).accountId, provider, secret: secret ?? null }
    const { receiverId, token, credentials } = await createReceiver(c.var.ctx, made)
    const url = (kind: string) => urlOf(c.var.ctx.config.baseUrl, `/${kind}/${provider}?t=${token}`, credentials)
    return {
      receiver_id: receiverId,
      provider,
      url: url("webhooks"),
      bounce_url: SENDING_PROVIDERS[provider].hasBounceUrl ? url("bounce") : null,
      warning: "Keep this URL secret. It is shown only once.",
    }
  },
})

/** @param credentials "user:password" to add to the URL, as Postmark requires */
function urlOf(baseUrl: string, path: string, credentials: string | null): string {
  const url = new URL(path, baseUrl)
  const [user = "", ...password] = credentials?.split(":") ?? []
  url.username = encodeURIComponent(user)
  url.password = encodeURIComponent(password.join(":"))
  return url.href
}

const Listed = component("Receiver", {
  receiver_id: receiverId,
  provider,
  events_accepted: z.int(),
  events_unreadable: z.int().openapi({
    description: "Events that could not be recorded: their kind, id or recipient cannot be read",
  }),
  requests_refused: z.int(),
  created_at: z.iso.datetime(),
  last_event_at: z.iso.datetime().nullable(),
})

const list = endpoint("key", "GET /webhooks/receivers", {
  operationId: "listReceivers",
  summary: "List the receivers",
  description: "Returns the account's receivers, newest first, without their URLs and secrets.",
  answer: z.object({ receivers: z.array(Listed) }),
  async handle(c) {
    const own = await c.var.ctx.store.receivers.list(member(c).accountId)
    const receivers = own.map((receiver): z.infer<typeof Listed> => {
      const { receiverId, provider, accepted, unreadable, refused, createdAt, lastEventAt } = receiver
      return {
        receiver_id: receiverId,
        provider,
        events_accepted: accepted,
        events_unreadable: unreadable,
        requests_refused: refused,
        created_at: iso(createdAt),
        last_event_at: iso(lastEventAt),
      }
    })
    return { receivers }
  },
})

const remove = endpoint("key", "DELETE /webhooks/receivers/{receiver_id}", {
  operationId: "deleteReceiver",
  summary: "Delete a receiver",
  description: "Removes a receiver. Its URL stops working at once, and recorded events stay.",
  params: z.object({
    receiver_id: z
      .string()
      .max(64)
      .openapi({ description: "Id of the receiver", example: "rcv_0123456789abcdef01234567" }),
  }),
  answer: z.object({ receiver_id: receiverId, deleted: z.literal(true) }),
  problems: [404],
  async handle(c) {
    const { receiver_id } = c.req.valid("param")
    const isGone = await c.var.ctx.store.receivers.remove(member(c).accountId, receiver_id)
    if (!isGone) throw new AppError("not_found", "there is no such receiver")
    return { receiver_id, deleted: true as const }
  },
})

export const receiverEndpoints: Endpoint[] = [create, list, remove]

const MAX_BODY_BYTES = 1_000_000

const ReceivedEvents = component("EventsTaken", {
  status: z.literal("ok"),
  processed: z.int(),
  duplicates: z.int(),
  ignored: z.int().openapi({ description: "Events without information about a recipient" }),
  unreadable: z.int().openapi({
    description: "Events that could not be recorded: their kind, id or recipient cannot be read",
  }),
  without_verdict: z.int().openapi({
    description: "Events about an address that was never verified: they had no verdict to judge",
  }),
})

/**
 * An endpoint for a sending provider's events, without a login. The token in the URL identifies the account. The
 * provider's own scheme, checked on the raw bytes, authenticates the events.
 */
function receiving(path: `/${string}`, provider: InboundProvider): Endpoint {
  return endpoint("public", `POST ${path}`, {
    operationId: `receive${path.replace(/\/(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: `Receive ${path.startsWith("/bounce/") ? "bounces" : "events"} of ${SENDING_PROVIDERS[provider].name}`,
    description:
      "The provider calls this with bounces, complaints, deliveries, opens, clicks and unsubscribes. Its own authenticity scheme is checked. The URL comes from `POST /webhooks/receivers`, so your programs do not call it.",
    query: z.object({ t: z.string().max(200).openapi({ description: "Token of the receiver" }) }),
    content: {
      // Generators of clients omit an operation whose only type is */*.
      "application/octet-stream": { schema: { type: "string", format: "binary" } },
      "*/*": { schema: z.unknown().openapi({ description: "In the provider's format" }) },
    },
    answer: ReceivedEvents,
    problems: [400, 401],
    body: { maxBytes: MAX_BODY_BYTES, isStreamed: true },
    async handle(c) {
      // Before the body, so that an unknown token costs no memory.
      const receiver = await findReceiver(c.var.ctx, {
        provider,
        token: c.req.query("t") ?? "",
        clientIp: clientIpOf(c),
      })
      const request = {
        body: await readBytes(c, MAX_BODY_BYTES, { subject: receiver.accountId }),
        header: (name: string) => c.req.header(name),
      }
      const { processed, known, ignored, unreadable, withoutVerdict } = await receiveEvents(
        c.var.ctx,
        receiver,
        request,
      )
      return {
        status: "ok" as const,
        processed,
        duplicates: known,
        ignored,
        unreadable,
        without_verdict: withoutVerdict,
      }
    },
  })
}

export const inboundEndpoints: Endpoint[] = INBOUND_PROVIDERS.flatMap((provider) => [
  ...(SENDING_PROVIDERS[provider].hasBounceUrl ? [receiving(`/bounce/${provider}`, provider)] : []),
  receiving(`/webhooks/${provider}`, provider),
])
