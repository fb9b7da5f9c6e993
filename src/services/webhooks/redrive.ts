import type { Deps } from "../../deps.ts"
import { AppError } from "../../errors.ts"
import { type DeliverNeeds, deliverNow } from "./deliver.ts"

type Needs = DeliverNeeds & Pick<Deps, "background" | "meter">

/** Delivers an event once more from its first attempt on, and uses its receiver again if that was disabled. @throws AppError not_found */
export async function redrive(
  needs: Needs,
  { accountId, eventId }: { accountId: string; eventId: string },
): Promise<void> {
  await needs.meter.admit()
  const found = await needs.webhookDeliveries.redrive(eventId, accountId, needs.clock.now())
  if (!found) throw new AppError("not_found", "no such delivery")
  needs.background(deliverNow(needs, eventId))
}
