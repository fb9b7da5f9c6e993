import type { EventState } from "../../../schema/vocabulary.ts"
import type { Attempt, Delivery, DeliveryCursor } from "../../adapters/store/webhook-deliveries.ts"
import type { Deps } from "../../deps.ts"
import { pageOf } from "../../domain/page.ts"

export interface DeliveryPage {
  readonly deliveries: readonly (Delivery & { readonly log: readonly Attempt[] })[]
  /** Where the next page begins; null at the end. */
  readonly next: DeliveryCursor | null
}

interface Input {
  readonly accountId: string
  readonly limit: number
  readonly before: DeliveryCursor | null
  readonly state: EventState | null
}

/** The account's deliveries, newest first, each with its attempts. */
export async function listDeliveries(
  { webhookDeliveries }: Pick<Deps, "webhookDeliveries">,
  { accountId, limit, before, state }: Input,
): Promise<DeliveryPage> {
  const ask = { limit: limit + 1, ...(before ? { before } : {}), ...(state ? { state } : {}) }
  const { page, last } = pageOf(await webhookDeliveries.list(accountId, ask), limit)
  const attempts = await webhookDeliveries.attemptsOf(page.map(({ eventId }) => eventId))
  const byEvent = Map.groupBy(attempts, ({ eventId }) => eventId)
  const deliveries = page.map((delivery) => ({ ...delivery, log: byEvent.get(delivery.eventId) ?? [] }))
  return { deliveries, next: last }
}
