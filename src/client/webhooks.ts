import { Webhook } from "standardwebhooks"

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
