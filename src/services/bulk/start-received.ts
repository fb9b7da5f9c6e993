import type { JobOptions } from "../../adapters/store/job-intake.ts"
import type { Deps } from "../../deps.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { CREDITS, periodOf } from "../../domain/plans/tiers.ts"
import { AppError } from "../../errors.ts"
import { type DispatchNeeds, dispatchChunks } from "./dispatch-chunks.ts"
import type { Receiving } from "./receive-job.ts"

export type StartNeeds = DispatchNeeds & Pick<Deps, "meter" | "charges" | "background">

/** Reserves what a received list costs and hands it over to be worked on. @throws AppError rate_limited, unavailable */
export async function startReceived(
  needs: StartNeeds,
  receiving: Receiving,
  { total, options }: { total: number; options: JobOptions },
): Promise<void> {
  const { jobId } = receiving
  const charge = await needs.meter.reserve(total * CREDITS.verification, { kind: "job", chargeId: jobId })
  try {
    if (!(await receiving.start(options)))
      throw new AppError("unavailable", "the list took too long to arrive; send it again")
  } catch (error) {
    await charge.settle(0)
    throw error
  }
  needs.background(dispatchChunks(needs))
}

/** Addresses the caller can still pay for. The reservation decides; this only spares taking a list in vain. */
export async function creditsLeft(
  { charges, clock }: Pick<Deps, "charges" | "clock">,
  { subject, allowance }: Member,
): Promise<number> {
  if (allowance.perMonth === null) return Number.POSITIVE_INFINITY
  return (allowance.perMonth - (await charges.usedBy(subject, periodOf(clock.now())))) / CREDITS.verification
}
