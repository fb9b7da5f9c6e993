import type { Deps } from "../../deps.ts"
import { DAY_MS, MINUTE_MS } from "../../domain/time.ts"

/** No call runs this long: whoever has not settled by then has died. */
const ABANDONED_MS = 5 * MINUTE_MS
/** A job has its row before its charge. A charge without one was reserved by a call that did not hear of it, or died. */
const OWNERLESS_MS = 60 * MINUTE_MS

/** Gives back what dead calls had reserved, and forgets answers kept for retries. */
export async function tidyAccounts({
  charges,
  clock,
  idempotency,
}: Pick<Deps, "charges" | "clock" | "idempotency">): Promise<void> {
  const now = clock.now()
  await charges.refundAbandoned({ call: now - ABANDONED_MS, job: now - OWNERLESS_MS })
  await idempotency.deleteBefore(now - DAY_MS)
}
