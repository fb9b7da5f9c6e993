import { type DeliverNeeds, deliverDue, SWEEP_MS } from "./deliver.ts"

/** Deliveries are kept for their owner to look at this long. */
const KEEP_MS = 30 * 24 * 3_600_000

/** Each minute: what is old is forgotten, what is due is tried. @param budgetMs after which nothing more is begun */
export async function sweepWebhooks(needs: DeliverNeeds, budgetMs = SWEEP_MS): Promise<void> {
  const startedAt = needs.clock.now()
  try {
    // First, as deliveries take all the time there is.
    await needs.webhookDeliveries.forget(startedAt - KEEP_MS)
  } finally {
    await deliverDue(needs, startedAt + budgetMs)
  }
}
