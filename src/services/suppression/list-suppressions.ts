import type { SuppressionReason } from "../../../schema/vocabulary.ts"
import type { EntryPosition, ListEntry } from "../../adapters/store/suppression/suppression.ts"
import type { Context } from "../../context.ts"
import { suppressedHashes } from "../../domain/address/address-forms.ts"
import { pageOf } from "../../domain/page.ts"
import type { Suppressed } from "../../domain/suppression/suppression.ts"

export interface SuppressionQuery {
  /** Null for all. An address or a domain finds its own entry, also after the erasure of the address. */
  readonly search: Suppressed | null
  readonly reason: SuppressionReason | null
  /** Unix milliseconds: added from the first on, before the second. */
  readonly from: number | null
  readonly to: number | null
  readonly before: EntryPosition | null
  readonly limit: number
}

export interface SuppressionPage {
  readonly entries: readonly ListEntry[]
  /** Entries on all pages, up to a million. */
  readonly total: number
  /** The position of the last entry; null on the last page. */
  readonly next: EntryPosition | null
}

/** Lists the active entries of a list, newest first. @param list an account id, or the operator's */
export async function listSuppressions(
  ctx: Context,
  list: string,
  { search, reason, from, to, before, limit }: SuppressionQuery,
): Promise<SuppressionPage> {
  const hashes = search && (await suppressedHashes(ctx.digests, search))
  const page = { before, now: ctx.clock.now(), limit: limit + 1 }
  const { entries, total } = await ctx.store.suppressions.newest(list, { hashes, reason, from, to }, page)
  const { page: shown, last } = pageOf(entries, limit)
  return { entries: shown, total, next: last }
}
