import type { EndpointEvent } from "../../../schema/vocabulary.ts"
import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { SubscriptionChange, WatchedSubscription } from "../../adapters/store/webhooks/webhook-endpoints.ts"
import type { Context } from "../../context.ts"
import { hex } from "../../domain/accounts/crypto.ts"
import { isPolledUrl } from "../../domain/webhooks/target-url.ts"
import { AppError, invalidField } from "../../errors.ts"
import { readWebhookUrl, sendEvent } from "./publish-event.ts"

export const MAX_ENDPOINTS = 10

interface Which {
  readonly accountId: string
  readonly endpointId: string
}

interface NewEndpoint {
  readonly accountId: string
  readonly url: string
  readonly events: readonly EndpointEvent[]
  readonly description: string
}

export interface EndpointChange {
  readonly events?: readonly EndpointEvent[] | undefined
  readonly description?: string | undefined
  readonly paused?: boolean | undefined
}

/**
 * Adds an endpoint, which gets the account's events from now on.
 * @throws AppError invalid for an unusable URL, conflict for a URL that the account has, or beyond ten endpoints
 */
export async function addEndpoint(
  ctx: Context,
  meter: UsageMeter,
  { accountId, events, description, ...given }: NewEndpoint,
): Promise<WatchedSubscription> {
  await meter.authorize()
  const url = isPolledUrl(given.url) ? given.url : await readWebhookUrl(ctx, given.url, "url")
  if (url === "") throw invalidField(["url"], "must be a URL")
  const endpointId = `whe_${hex(ctx.randomBytes(12))}`
  const createdAt = ctx.clock.now()
  const endpoint = { endpointId, accountId, url, events: [...new Set(events)], description, createdAt, pausedAt: null }
  const outcome = await ctx.store.webhookSubscriptions.add(endpoint, MAX_ENDPOINTS)
  if (outcome === "taken") throw new AppError("conflict", "the account already has an endpoint with this URL")
  if (outcome === "full")
    throw new AppError("conflict", `an account has at most ${MAX_ENDPOINTS} endpoints; remove one first`)
  return findEndpoint(ctx, { accountId, endpointId })
}

/** Changes an endpoint. Resuming also enables a failing or disabled one. @throws AppError not_found */
export async function changeEndpoint(
  ctx: Context,
  which: Which,
  { events, description, paused }: EndpointChange,
): Promise<WatchedSubscription> {
  const pausedAt = paused ? ctx.clock.now() : null
  const change: SubscriptionChange = {
    ...(events ? { events: [...new Set(events)] } : {}),
    ...(description === undefined ? {} : { description }),
    ...(paused === undefined ? {} : { pausedAt }),
  }
  await ctx.store.webhookSubscriptions.change(which, change, paused === false)
  return findEndpoint(ctx, which)
}

/** Removes an endpoint with its waiting events. @throws AppError not_found */
export async function removeEndpoint(ctx: Context, which: Which): Promise<void> {
  if (!(await ctx.store.webhookSubscriptions.remove(which))) throw notFound()
}

/**
 * Sends an event `webhook.test` to an endpoint, also to a paused one. Enables a failing or disabled one.
 * @returns the event's id @throws AppError not_found
 */
export async function testEndpoint(ctx: Context, meter: UsageMeter, which: Which): Promise<string> {
  await meter.authorize()
  const { accountId, endpointId, url } = await findEndpoint(ctx, which)
  await ctx.store.webhookSubscriptions.enable(which)
  const data = () => ({ endpoint_id: endpointId, message: "This is a test of your webhook endpoint." })
  const [eventId] = await sendEvent(ctx, { accountId, type: "webhook.test", data }, [{ url, endpointId }])
  return eventId!
}

async function findEndpoint(ctx: Context, { accountId, endpointId }: Which): Promise<WatchedSubscription> {
  const found = (await ctx.store.webhookSubscriptions.watch(accountId)).find((one) => one.endpointId === endpointId)
  if (!found) throw notFound()
  return found
}

function notFound(): AppError {
  return new AppError("not_found", "there is no such endpoint")
}
