import { createRoute, z } from "@hono/zod-openapi"
import { SENDING_PROVIDERS } from "../../../schema/sending-providers.ts"
import { INBOUND_PROVIDERS, type InboundProvider } from "../../../schema/vocabulary.ts"
import { clientIpOf } from "../../http/access.ts"
import { type Endpoint, endpoint, withBody } from "../../http/endpoint.ts"
import { readBytes } from "../../http/request-body.ts"
import { ok, problem } from "../../http/responses.ts"
import { findReceiver, receiveEvents } from "../../services/feedback/receive-events.ts"

const MAX_BODY_BYTES = 1_000_000

const ReceivedEvents = z
  .object({
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
  .openapi("EventsTaken")

/**
 * An endpoint for a sending provider's events, without a login. The token in the URL identifies the account. The
 * provider's own scheme, checked on the raw bytes, authenticates the events.
 */
function receiving(path: `/${string}`, provider: InboundProvider): Endpoint {
  const route = createRoute({
    method: "post",
    path,
    operationId: `receive${path.replace(/\/(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: ["provider-events"],
    summary: `Receive ${path.startsWith("/bounce/") ? "bounces" : "events"} of ${SENDING_PROVIDERS[provider].name}`,
    description:
      "The provider calls this with bounces, complaints, deliveries, opens, clicks and unsubscribes. Its own authenticity scheme is checked. The URL comes from `POST /webhooks/receivers`, so your programs do not call it.",
    request: {
      query: z.object({ t: z.string().max(200).openapi({ description: "Token of the receiver" }) }),
      body: {
        required: true,
        content: { "*/*": { schema: z.unknown().openapi({ description: "In the provider's format" }) } },
      },
    },
    responses: { 200: ok(ReceivedEvents), ...problem(400, 401) },
  })
  const one = endpoint("public", route, async (c) => {
    const { ctx } = c.var
    // Before the body, so that an unknown token costs no memory.
    const receiver = await findReceiver(ctx, { provider, token: c.req.query("t") ?? "", clientIp: clientIpOf(c) })
    const request = {
      body: await readBytes(c, MAX_BODY_BYTES, { subject: receiver.accountId }),
      header: (name: string) => c.req.header(name),
    }
    const { processed, known, ignored, unreadable, withoutVerdict } = await receiveEvents(ctx, receiver, request)
    const counts = { processed, duplicates: known, ignored, unreadable, without_verdict: withoutVerdict }
    return c.json({ status: "ok" as const, ...counts }, 200)
  })
  return withBody(one, { maxBytes: MAX_BODY_BYTES, isStreamed: true })
}

export const inboundEndpoints: Endpoint[] = INBOUND_PROVIDERS.flatMap((provider) => [
  ...(SENDING_PROVIDERS[provider].hasBounceUrl ? [receiving(`/bounce/${provider}`, provider)] : []),
  receiving(`/webhooks/${provider}`, provider),
])
