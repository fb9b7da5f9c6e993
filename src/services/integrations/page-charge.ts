import type { IntegrationSync } from "../../adapters/store/integration-syncs.ts"
import type { Deps } from "../../deps.ts"
import { CREDITS, periodOf } from "../../domain/plans/tiers.ts"

/** Names the purchase of a page: who comes back to it after a crash does not buy it twice. */
export function chargeOf({ syncId, resumes, pages }: Pick<IntegrationSync, "syncId" | "resumes" | "pages">): string {
  return `${syncId}.${resumes}.${pages}`
}

/** Reserves what a page may cost, out of the account's month or credits. @returns false when they do not suffice */
export async function reservePage(
  { charges, limits, clock }: Pick<Deps, "charges" | "limits" | "clock">,
  sync: IntegrationSync,
  addresses: number,
): Promise<boolean> {
  if (addresses === 0) return true
  const now = clock.now()
  const reservation = await charges.reserve(
    {
      chargeId: chargeOf(sync),
      subject: sync.accountId,
      limit: limits.table[sync.tier].perMonth,
      keyId: sync.keyId,
      period: periodOf(now),
      credits: addresses * CREDITS.verification,
      kind: "job",
    },
    now,
  )
  return reservation.granted
}
