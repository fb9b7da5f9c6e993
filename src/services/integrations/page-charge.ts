import type { IntegrationSync } from "../../adapters/store/integrations/integration-syncs.ts"
import type { Context } from "../../context.ts"
import { CREDITS, periodOf } from "../../domain/accounts/tiers.ts"

/** The charge id of a page, so that a repeat after a crash does not charge twice. */
export function chargeOf({ syncId, resumes, pages }: Pick<IntegrationSync, "syncId" | "resumes" | "pages">): string {
  return `${syncId}.${resumes}.${pages}`
}

/** Reserves the highest cost of a page from the account's month or credits. @returns false when they do not suffice */
export async function reservePage(ctx: Context, sync: IntegrationSync, addresses: number): Promise<boolean> {
  if (addresses === 0) return true
  const now = ctx.clock.now()
  const { charges, leases } = ctx.store
  const reservation = await charges.reserve(
    {
      chargeId: chargeOf(sync),
      subject: sync.accountId,
      limit: ctx.config.limits.table[sync.tier].perMonth,
      keyId: sync.keyId,
      period: periodOf(now),
      credits: addresses * CREDITS.verification,
      kind: "job",
    },
    now,
    (open) => ctx.keyLimiters.recall(open, leases),
  )
  return reservation.granted
}
