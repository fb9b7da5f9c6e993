import { Webhook } from "standardwebhooks"
import { type Answer, type Caller, type CallOptions, type Input, pages } from "../caller.ts"

export type WebhookEndpoint = Answer<"addWebhookEndpoint">
export type WebhookDelivery = Answer<"listWebhookDeliveries">["deliveries"][number]
export type EndpointChange = Omit<Input<"changeWebhookEndpoint">, "endpoint_id">
export type DeliveryFilter = Omit<Input<"listWebhookDeliveries">, "limit" | "cursor">

/** Receivers of the account's events, such as `job.completed`. No call costs credits. */
export function createWebhooks(caller: Caller) {
  return {
    /** Lists the account's endpoints with their state. @throws MailverdictError 401 without a key */
    list: async (call?: CallOptions) => (await caller.call("listWebhookEndpoints", {}, call)).endpoints,
    /** Adds an HTTPS endpoint for the named events. @throws MailverdictError 409 above ten endpoints, 422 for a bad URL */
    add: (endpoint: Input<"addWebhookEndpoint">, call?: CallOptions) =>
      caller.call("addWebhookEndpoint", endpoint, call),
    /** Changes an endpoint's events or description, or pauses it. @throws MailverdictError 404 for an unknown endpoint */
    update: (endpointId: string, fields: EndpointChange, call?: CallOptions) =>
      caller.call("changeWebhookEndpoint", { ...fields, endpoint_id: endpointId }, call),
    /** Removes an endpoint. @throws MailverdictError 404 for an unknown endpoint */
    remove: (endpointId: string, call?: CallOptions) =>
      caller.call("removeWebhookEndpoint", { endpoint_id: endpointId }, call),
    /** Sends a signed `webhook.test` event to an endpoint. @throws MailverdictError 404 for an unknown endpoint */
    test: (endpointId: string, call?: CallOptions) =>
      caller.call("testWebhookEndpoint", { endpoint_id: endpointId }, call),
    /** Yields deliveries with their attempts, newest first. */
    async *deliveries(filter?: DeliveryFilter, call?: CallOptions) {
      const read = pages((place) => caller.call("listWebhookDeliveries", { ...filter, ...place }, call))
      for await (const { deliveries } of read) yield* deliveries
    },
    /** Delivers an event again, from the first attempt on. @throws MailverdictError 404 for an unknown event */
    redeliver: (eventId: string, call?: CallOptions) => caller.call("redriveWebhook", { event_id: eventId }, call),
    /** Verifies a received webhook, without a call: see `verifyWebhook`. */
    verifySignature: verifyWebhook,
  }
}

export type Webhooks = ReturnType<typeof createWebhooks>

export interface WebhookEvent {
  readonly type: string
  readonly timestamp: string
  readonly data: Record<string, unknown>
}

/** Node's request headers. For a Fetch request, pass `Object.fromEntries(request.headers)`. */
export type WebhookHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Verifies a webhook's signature and age (Standard Webhooks 1.0.0) and returns its event.
 * @param body the raw request body, before any parsing @param headers webhook-id, webhook-timestamp, webhook-signature
 * @param secret "whsec_…" @throws Error when the signature is wrong or the webhook is older than five minutes
 */
export function verifyWebhook(body: string, headers: WebhookHeaders, secret: string): WebhookEvent {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as WebhookEvent
}
