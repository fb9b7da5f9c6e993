import type { SuppressionReason } from "../../../schema/vocabulary.ts"
import type { Context } from "../../context.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressHash } from "../../domain/feedback/address-hash.ts"
import { DAY_MS } from "../../domain/time.ts"
import { refreshFlags } from "./refresh-flags.ts"

export interface ToSuppress {
  readonly address: ValidAddress
  readonly reason: SuppressionReason
  readonly source: string | null
  readonly end: End
}

/** When an entry expires: after a number of days, or at a time in Unix milliseconds. Null means never. */
export type End = { readonly days: number } | { readonly at: number } | null

/** Adds addresses to a list, active from the next request on. @param list an account id, or the operator's */
export async function suppress(ctx: Context, list: string, addresses: readonly ToSuppress[]): Promise<void> {
  if (addresses.length === 0) return
  const now = ctx.clock.now()
  const entries = await Promise.all(
    addresses.map(async ({ address, reason, source, end }) => ({
      addressHash: await addressHash(ctx.digests, address),
      address: address.normalized,
      reason,
      source,
      createdAt: now,
      expiresAt: momentOf(end, now),
    })),
  )
  await ctx.store.suppressions.add(list, entries, now)
  await refreshFlags(
    ctx,
    list,
    entries.map((entry) => entry.addressHash),
  )
}

function momentOf(end: End, now: number): number | null {
  if (end === null) return null
  return "at" in end ? end.at : now + end.days * DAY_MS
}
