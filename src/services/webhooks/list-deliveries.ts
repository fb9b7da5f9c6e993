import type { EventState } from "../../../schema/vocabulary.ts"
import type { Attempt, Delivery, DeliveryCursor } from "../../adapters/store/webhooks/webhook-deliveries.ts"
import type { Context } from "../../context.ts"
import { pageOf } from "../../domain/page.ts"

export interface DeliveryPage {
  readonly deliveries: readonly (Delivery & { readonly log: readonly Attempt[] })[]
  /** The cursor of the next page, null at the end. */
  readonly next: DeliveryCursor | null
}

interface Input {
  readonly accountId: string
  readonly limit: number
  readonly before: DeliveryCursor | null
  readonly state: EventState | null
  readonly endpointId: string | null
  readonly eventId: string | null
}

/** Lists the account's deliveries with their attempts, newest first. */
export async function listDeliveries(ctx: Context, { accountId, limit, ...only }: Input): Promise<DeliveryPage> {
  const { page, last } = pageOf(await ctx.store.webhookDeliveries.list(accountId, { ...only, limit: limit + 1 }), limit)
  const attempts = await ctx.store.webhookDeliveries.attemptsOf(page.map(({ eventId }) => eventId))
  const byEvent = Map.groupBy(attempts, ({ eventId }) => eventId)
  const deliveries = page.map((delivery) => ({ ...delivery, log: byEvent.get(delivery.eventId) ?? [] }))
  return { deliveries, next: last }
}
