import type { EventType } from "../../../schema/vocabulary.ts"
import type { Context } from "../../context.ts"
import { deliverNow } from "./deliver.ts"

export interface EventToPublish {
  /** Null for a caller without an account. */
  readonly accountId: string | null
  readonly type: EventType
  /** Validated by `readTargetUrl`. */
  readonly url: string
  /** Sent unchanged: small, snake_case, without secrets. */
  readonly data: Readonly<Record<string, unknown>>
  /** The event's subject. Repeated calls with the same subject publish a single event. */
  readonly about?: string
}

/** Enqueues an event `{type, timestamp, data}` (Standard Webhooks 1.0.0) and delivers it in the background. */
export async function publishEvent(ctx: Context, { accountId, type, url, data, about }: EventToPublish): Promise<void> {
  const createdAt = ctx.clock.now()
  const name = about ? (await ctx.digests.of("event", `${type}\n${about}`)).slice(0, 32) : ctx.randomToken()
  const payload = { type, timestamp: new Date(createdAt).toISOString(), data }
  const eventId = `evt_${name}`
  await ctx.store.outboundEvents.add({ eventId, accountId, type, url, payload, createdAt })
  ctx.background(ctx.webhookDispatcher ? ctx.webhookDispatcher.deliver(eventId) : deliverNow(ctx, eventId))
}
