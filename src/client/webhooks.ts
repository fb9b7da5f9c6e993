import { Webhook } from "standardwebhooks"

export interface WebhookEvent {
  readonly type: string
  readonly timestamp: string
  readonly data: Record<string, unknown>
}

/** As Node has them; those of a Fetch request by `Object.fromEntries(request.headers)`. */
export type WebhookHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Checks a webhook's signature and age (Standard Webhooks 1.0.0) and gives what it tells.
 * @param body the request's body as it came, before any parsing @param headers webhook-id, webhook-timestamp, webhook-signature
 * @param secret "whsec_…" @throws Error when it is not from your Mailverdict account, or older than five minutes
 */
export function verifyWebhook(body: string, headers: WebhookHeaders, secret: string): WebhookEvent {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as WebhookEvent
}
