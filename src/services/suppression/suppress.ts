import type { SuppressionReason } from "../../../schema/vocabulary.ts"
import type { Deps } from "../../deps.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressHash } from "../../domain/suppression/address-hash.ts"
import { DAY_MS } from "../../domain/time.ts"
import { type RefreshNeeds, refreshMarks } from "./refresh-marks.ts"

type Needs = RefreshNeeds & Pick<Deps, "digests">

export interface ToSuppress {
  readonly address: ValidAddress
  readonly reason: SuppressionReason
  readonly source: string | null
  readonly end: End
}

/** When an entry comes off again: after so many days, or at a moment, in Unix milliseconds; null is for good. */
export type End = { readonly days: number } | { readonly at: number } | null

/** Puts addresses on a list, in one write. In force from the next answer on. @param list an account id, or the operator's */
export async function suppress(needs: Needs, list: string, addresses: readonly ToSuppress[]): Promise<void> {
  if (addresses.length === 0) return
  const now = needs.clock.now()
  const entries = await Promise.all(
    addresses.map(async ({ address, reason, source, end }) => ({
      addressHash: await addressHash(needs.digests, address),
      address: address.normalized,
      reason,
      source,
      createdAt: now,
      expiresAt: momentOf(end, now),
    })),
  )
  await needs.suppressions.add(list, entries, now)
  await refreshMarks(
    needs,
    list,
    entries.map((entry) => entry.addressHash),
  )
}

function momentOf(end: End, now: number): number | null {
  if (end === null) return null
  return "at" in end ? end.at : now + end.days * DAY_MS
}
