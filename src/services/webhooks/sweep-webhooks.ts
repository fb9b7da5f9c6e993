import type { Deps } from "../../deps.ts"
import { type DeliverNeeds, deliverDue } from "./deliver.ts"

/** Deliveries are kept for their owner to look at this long. */
const KEEP_MS = 30 * 24 * 3_600_000

/** Each minute: what is due is tried, what is old is forgotten. */
export async function sweepWebhooks(needs: DeliverNeeds & Pick<Deps, "clock">): Promise<void> {
  await deliverDue(needs)
  await needs.webhookDeliveries.forget(needs.clock.now() - KEEP_MS)
}
