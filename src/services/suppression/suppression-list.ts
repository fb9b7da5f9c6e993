import type { SuppressionReason } from "../../../schema/vocabulary.ts"
import type { EntryPosition, ListEntry } from "../../adapters/store/suppression/suppression.ts"
import type { Context } from "../../context.ts"
import { flagHashes, suppressedHashes } from "../../domain/address/address-forms.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { pageOf } from "../../domain/page.ts"
import {
  type Change,
  changeOf,
  domainOfName,
  OPERATOR_LIST,
  type Suppressed,
  type Suppression,
  storedName,
} from "../../domain/suppression/suppression.ts"
import { DAY_MS } from "../../domain/time.ts"
import { AppError } from "../../errors.ts"
import { refreshFlags } from "./flags.ts"

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

export interface Unsuppressed {
  /** The removed entry; null when only reports were withdrawn. */
  readonly removed: Suppression | null
  /** Whether the account's reports of a bounce or complaint were withdrawn. */
  readonly hasWithdrawnReports: boolean
  /** Entries that still suppress the address: those of its domain, and the operator's. Empty for a domain. */
  readonly remaining: readonly FoundSuppression[]
}

/**
 * Removes an address or a domain from a list. With an address, the account's reports of its bounces and complaints go too.
 * @throws AppError not_found when there is neither an entry nor a report
 */
export async function unsuppress(ctx: Context, list: string, one: Suppressed): Promise<Unsuppressed> {
  const hashes = await suppressedHashes(ctx.digests, one)
  const { removed, hasWithdrawnReports } = await ctx.store.suppressions.remove(list, hashes, ctx.clock.now())
  await refreshFlags(ctx, list, hashes)
  const remaining = "address" in one ? await checkSuppression(ctx, list, one.address) : []
  if (!removed && !hasWithdrawnReports) throw new AppError("not_found", notListed(one, remaining))
  return { removed, hasWithdrawnReports, remaining }
}

function notListed(one: Suppressed, remaining: readonly FoundSuppression[]): string {
  if ("wholeDomain" in one) return "this domain is not on your suppression list"
  const [still] = remaining
  if (!still) return "this address is not on your suppression list"
  if (still.list === "operator") return "this address is on the operator's list, not on yours"
  return `this address is not on your suppression list; the entry for the domain ${still.domain} suppresses it`
}

export interface FoundSuppression {
  readonly suppression: Suppression
  /** The owner of the list. */
  readonly list: "account" | "operator"
  /** The domain of an entry for a whole domain; null for an entry of the address. */
  readonly domain: string | null
}

/**
 * Finds the active entries that suppress an address, in one statement: those of the address and of its domain. The
 * operator's list comes first, then the entry of the address. @param list an account id, or the operator's
 */
export async function checkSuppression(
  ctx: Context,
  list: string,
  address: ValidAddress,
): Promise<readonly FoundSuppression[]> {
  const hashes = await flagHashes(ctx.digests, address)
  const found = await ctx.store.suppressions.find([...new Set([OPERATOR_LIST, list])], hashes, ctx.clock.now())
  return found
    .map(({ accountId, address: name, ...suppression }): FoundSuppression => {
      const domain = domainOfName(name)
      if (accountId !== OPERATOR_LIST) return { suppression, list: "account", domain }
      // Source and note of the operator's entry, such as a complaint, are visible to the operator only.
      const shown = list === OPERATOR_LIST ? suppression : { ...suppression, source: null, note: null }
      return { suppression: shown, list: "operator", domain }
    })
    .toSorted((a, b) => rankOf(a) - rankOf(b))
}

function rankOf({ list, domain }: FoundSuppression): number {
  return (list === "operator" ? 0 : 2) + (domain === null ? 0 : 1)
}

interface SuppressionQuery {
  /** Null for all. An address or a domain finds its own entry, also after the erasure of the address. */
  readonly search: Suppressed | null
  readonly reason: SuppressionReason | null
  /** Unix milliseconds: added from the first on, before the second. */
  readonly from: number | null
  readonly to: number | null
  readonly before: EntryPosition | null
  readonly limit: number
}

/** Lists the active entries of a list, newest first. @param list an account id, or the operator's */
export async function listSuppressions(
  ctx: Context,
  list: string,
  { search, reason, from, to, before, limit }: SuppressionQuery,
) {
  const hashes = search && (await suppressedHashes(ctx.digests, search))
  const page = { before, now: ctx.clock.now(), limit: limit + 1 }
  const { entries, total } = await ctx.store.suppressions.newest(list, { hashes, reason, from, to }, page)
  const { page: shown, last } = pageOf(entries, limit)
  return { entries: shown, total, next: last }
}

const PAGE = 1_000

/** Yields all entries of a list that still have their address, page by page, in constant memory. */
export async function* exportSuppressions(
  ctx: Context,
  list: string,
): AsyncGenerator<(ListEntry & { readonly address: string })[]> {
  for (let after = ""; ; ) {
    const page = await ctx.store.suppressions.page(list, after, { now: ctx.clock.now(), limit: PAGE })
    yield page.flatMap((entry) => (entry.address === null ? [] : [{ ...entry, address: entry.address }]))
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = last.addressHash
  }
}

/** Entries removed in one batch, and batches in one run. The next run removes the remaining ones. */
const AT_ONCE = 500
const BATCHES = 20

/** Deletes expired suppressions and single-use tokens, which are inactive from their expiry on. */
export async function expireSuppressions(ctx: Context): Promise<{ removed: number }> {
  let removed = 0
  await ctx.store.receivers.deleteExpiredTokens(ctx.clock.now())
  for (let batch = 0; batch < BATCHES; batch++) {
    const expired = await ctx.store.suppressions.removeExpired(ctx.clock.now(), AT_ONCE)
    for (const [list, entries] of Map.groupBy(expired, (entry) => entry.list))
      await refreshFlags(
        ctx,
        list,
        entries.map(({ addressHash }) => addressHash),
      )
    removed += expired.length
    if (expired.length < AT_ONCE) break
  }
  return { removed }
}
