import type { SuppressionReason } from "../../../schema/vocabulary.ts"
import type { Context } from "../../context.ts"
import { suppressedHashes } from "../../domain/address/address-forms.ts"
import { type Change, changeOf, type Suppressed, storedName } from "../../domain/suppression/suppression.ts"
import { DAY_MS } from "../../domain/time.ts"
import { refreshFlags } from "./refresh-flags.ts"

export type ToSuppress = Suppressed & {
  readonly reason: SuppressionReason
  readonly source: string | null
  readonly note?: string | null
  /** Unix milliseconds; now when left out. */
  readonly createdAt?: number | null
  readonly end: End
}

/** When an entry expires: after a number of days, or at a time in Unix milliseconds. Null means never. */
export type End = { readonly days: number } | { readonly at: number } | null

/**
 * Adds addresses and domains to a list, active from the next request on.
 * @param list an account id, or the operator's
 * @returns what changed, in the order of the entries. Null for an entry whose address or domain came before
 */
export async function suppress(
  ctx: Context,
  list: string,
  wanted: readonly ToSuppress[],
): Promise<readonly (Change | null)[]> {
  if (wanted.length === 0) return []
  const now = ctx.clock.now()
  const entries = await Promise.all(
    wanted.map(async ({ reason, source, note = null, createdAt, end, ...one }) => ({
      addressHash: (await suppressedHashes(ctx.digests, one))[0]!,
      address: storedName(one),
      reason,
      source,
      note,
      createdAt: createdAt ?? now,
      expiresAt: momentOf(end, now),
    })),
  )
  const { before, after } = await ctx.store.suppressions.add(list, entries, now)
  const hashes = entries.map((entry) => entry.addressHash)
  await refreshFlags(ctx, list, hashes)
  const first = new Map(entries.toReversed().map((entry) => [entry.addressHash, entry]))
  return entries.map((entry) => {
    const { addressHash: hash } = entry
    return first.get(hash) === entry ? changeOf(entry, before.get(hash) ?? null, after.get(hash) ?? entry) : null
  })
}

function momentOf(end: End, now: number): number | null {
  if (end === null) return null
  return "at" in end ? end.at : now + end.days * DAY_MS
}
