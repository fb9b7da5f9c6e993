import type { EventType } from "../../../schema/vocabulary.ts"
import type { OutboundEvent } from "../../adapters/store/webhooks/webhook-deliveries.ts"
import type { Context } from "../../context.ts"
import { readTargetUrl } from "../../domain/webhooks/target-url.ts"
import { invalidField } from "../../errors.ts"
import { deliverNow } from "./deliveries.ts"

interface Event {
  /** Null for a caller without an account. */
  readonly accountId: string | null
  readonly type: EventType
  /** Sent unchanged: small, snake_case, without secrets. Called only when the event has a receiver. */
  readonly data: () => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>
  /** The event's subject. Repeated calls with the same subject publish a single event for each URL. */
  readonly about?: string
}

/**
 * Publishes an event to the account's endpoints that want it and are not paused, and to the given URL.
 * A URL gets it once.
 */
export async function publishEvent(ctx: Context, { url, ...event }: Event & { url: string | null }): Promise<void> {
  const { accountId, type } = event
  const endpoints = accountId === null ? [] : await ctx.store.webhookSubscriptions.list(accountId)
  const targets = endpoints.filter((one) => one.url === url || (one.pausedAt === null && wants(one, type)))
  const isListed = !url || targets.some((one) => one.url === url)
  await sendEvent(ctx, event, isListed ? targets : [...targets, { url, endpointId: null }])
}

function wants({ events }: { events: readonly EventType[] }, type: EventType): boolean {
  return events.includes(type)
}

/**
 * Enqueues an event `{type, timestamp, data}` (Standard Webhooks 1.0.0) for each target and delivers it in the
 * background. @returns the ids of the events, one for each target
 */
export async function sendEvent(
  ctx: Context,
  { accountId, type, data, about }: Event,
  targets: readonly { url: string; endpointId: string | null }[],
): Promise<string[]> {
  if (targets.length === 0) return []
  const createdAt = ctx.clock.now()
  const payload = { type, timestamp: new Date(createdAt).toISOString(), data: await data() }
  const events = await Promise.all(
    targets.map(async ({ url, endpointId }): Promise<OutboundEvent> => {
      const name = about ? (await ctx.digests.of("event", `${type}\n${about}\n${url}`)).slice(0, 32) : ctx.randomToken()
      return { eventId: `evt_${name}`, accountId, type, url, endpointId, payload, createdAt }
    }),
  )
  await ctx.store.outboundEvents.add(events)
  for (const { eventId } of events)
    ctx.background(ctx.webhookDispatcher ? ctx.webhookDispatcher.deliver(eventId) : deliverNow(ctx, eventId))
  return events.map(({ eventId }) => eventId)
}

/**
 * Validates a webhook's URL, empty for none. Each attempt resolves its host again.
 * @param field the request's field with the URL @throws AppError invalid
 */
export async function readWebhookUrl(ctx: Context, text: string, field = "webhook_url"): Promise<string> {
  if (text === "") return ""
  const target = readTargetUrl(text, ctx.config.webhookRules)
  if (!target.ok) throw invalidField([field], target.problem)
  if (await ctx.webhookSender.isBlocked(target.url))
    throw invalidField([field], "resolves to an address that is not public")
  return target.url
}
