import { OPERATOR_ERASURE } from "../../../schema/tables/compliance.ts"
import { PERSONAL_TABLES } from "../../../schema/tables/personal-data.ts"
import type { FlaggedAddress } from "../../adapters/store/compliance/erasure.ts"
import type { Subject } from "../../adapters/store/compliance/personal-rows.ts"
import { inParallel } from "../../concurrency/in-parallel.ts"
import type { Context } from "../../context.ts"
import { addressHashes, domainHashes } from "../../domain/address/address-forms.ts"
import { parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { addressTerms, domainTerms, type ErasedRows, rowsIn } from "../../domain/compliance/data-subject.ts"
import { refreshFlags } from "../suppression/flags.ts"

export interface Erased {
  readonly tables: readonly ErasedRows[]
  /** False when one call cannot remove everything. The caller repeats the call. */
  readonly isComplete: boolean
}

/** Results and flags that one call removes from the edge cache: the platform limits the calls of one request. */
const AT_ONCE = 200
/** The tables that are erased after the results. */
const OTHERS = PERSONAL_TABLES.map(({ table }) => table).filter((table) => table !== "results")
const MARKED = ["suppressions", "address_feedback", "account_erasures"]

/**
 * Erases the stored data about an address: of all accounts when `accountId` is null, else of that account. A shared
 * result is removed when no other account has verified the address. It is always hidden from the account.
 */
export async function eraseAddress(
  ctx: Context,
  { address, accountId }: { address: ValidAddress; accountId: string | null },
): Promise<Erased> {
  await recordErasure(ctx, { address }, accountId)
  const erased = await erase(ctx, { by: "address", terms: await addressTerms(ctx.digests, address), accountId })
  // The edge may cache a result that the database no longer has.
  if (accountId === null) await removeCachedResults(ctx, [address.normalized])
  return erased
}

/** Erases the stored data about the addresses of a domain. @param domain A-labels, lower case */
export async function eraseDomain(
  ctx: Context,
  { domain, accountId }: { domain: string; accountId: string | null },
): Promise<Erased> {
  await recordErasure(ctx, { domain }, accountId)
  return erase(ctx, { by: "domain", terms: await domainTerms(ctx.digests, domain), accountId })
}

async function erase(ctx: Context, subject: Subject): Promise<Erased> {
  const { erasure } = ctx.store
  // An account's own erasure rows stay: they hide the results that other accounts still have.
  const isErased = (table: string) => subject.accountId === null || table !== "account_erasures"
  const others = { ...subject, tables: OTHERS.filter(isErased) }
  const results = await erasure.resultsToErase(subject, AT_ONCE)
  // The edge goes first: after an interruption the database still lists what is left. It is cleared again afterwards,
  // because it may have cached results meanwhile.
  await removeCachedResults(ctx, results)
  const removed = await erasure.eraseResults(subject, results)
  await removeCachedResults(ctx, results)
  const first = removed > 0 ? [{ table: "results", removed, blanked: 0 }] : []
  if (results.length === AT_ONCE) return { tables: first, isComplete: false }
  const marked = await erasure.flaggedAddresses(others, AT_ONCE)
  const isAll = marked.length < AT_ONCE
  const rest = isAll
    ? await erasure.erase(others, MAX_ROWS)
    : await eraseMarked(ctx, { ...subject, tables: MARKED.filter(isErased) }, marked)
  // For an entry under the current pepper, the edge may also hold a flag under the former pepper.
  const hashes = JSON.parse(subject.terms.hashes ?? "[]") as string[]
  for (const [list, entries] of Map.groupBy(marked, (entry) => entry.list))
    await refreshFlags(ctx, list, [...hashes, ...entries.map(({ addressHash }) => addressHash)])
  return { tables: [...first, ...rest], isComplete: isAll && rowsIn(rest) < MAX_ROWS }
}

/** Erases the rows of one call's flags on their own lists only: other lists may have the same addresses. */
async function eraseMarked(ctx: Context, subject: Subject, marked: readonly FlaggedAddress[]): Promise<ErasedRows[]> {
  const erased: ErasedRows[] = []
  for (const [accountId, entries] of Map.groupBy(marked, ({ list }) => list)) {
    const hashes = JSON.stringify(entries.map(({ addressHash }) => addressHash))
    const those = { ...subject.terms, hashes, spellings: "[]" }
    erased.push(...(await ctx.store.erasure.erase({ ...subject, by: "address", terms: those, accountId }, MAX_ROWS)))
  }
  return [...Map.groupBy(erased, ({ table }) => table)].map(([table, rows]) => ({
    table,
    removed: rows.reduce((sum, { removed }) => sum + removed, 0),
    blanked: rows.reduce((sum, { blanked }) => sum + blanked, 0),
  }))
}

/**
 * Records an erasure, so that answers given before it are not stored after it. An account's erasure hides the stored
 * results from it: those of a domain that exist now, that of an address until the account verifies it again.
 */
async function recordErasure(
  ctx: Context,
  erased: { address: ValidAddress } | { domain: string },
  accountId: string | null,
): Promise<void> {
  const isAddress = "address" in erased
  const ofDomain = await domainHashes(ctx.digests, isAddress ? erased.address.domain : erased.domain)
  const hashes = isAddress ? await addressHashes(ctx.digests, erased.address) : ofDomain
  const erasedAt = ctx.clock.now()
  await ctx.store.accountErasures.add({
    accountId: accountId ?? OPERATOR_ERASURE,
    subjectHash: hashes[0]!,
    domainHash: ofDomain[0]!,
    hidesUntil: isAddress && accountId !== null ? null : erasedAt,
    erasedAt,
  })
  if (accountId !== null) await refreshFlags(ctx, accountId, hashes)
}

const AT_A_TIME = 12

/** Removes the results of addresses from the edge cache, under every accepted pepper. */
export async function removeCachedResults(ctx: Context, addresses: readonly string[]): Promise<void> {
  await inParallel(addresses, AT_A_TIME, async (text) => {
    const address = parseAddress(text)
    if (!address.ok) return
    for (const hash of await addressHashes(ctx.digests, address)) await ctx.cache.delete(hash)
  })
}

/** Rows that one run removes at most, per table when it purges. */
export const MAX_ROWS = 100_000
/** A scheduled run may take 15 minutes. The next night continues with the rest. */
const NIGHT_MS = 10 * 60_000

/** Removes rows past the retention policy (schema/tables/retention.ts), up to the limit of one run. */
export function purge(ctx: Context): Promise<ErasedRows[]> {
  return ctx.store.erasure.purge(ctx.clock.now(), MAX_ROWS)
}

/** Purges on the schedule, for at most ten minutes, and records the counts in the audit trail. */
export async function purgeBySchedule(ctx: Context): Promise<void> {
  const until = ctx.clock.now() + NIGHT_MS
  const details: Record<string, number> = {}
  for (let isMore = true; isMore && ctx.clock.now() < until; ) {
    const purged = await purge(ctx)
    for (const [table, rows] of Object.entries(removedByTable(purged))) details[table] = (details[table] ?? 0) + rows
    isMore = purged.some(({ removed }) => removed >= MAX_ROWS)
  }
  const at = ctx.clock.now()
  await ctx.store.audit.append({ actor: "schedule", action: "data.purged", subject: "", details, at })
}

/** Counts removed rows by table for the audit trail. */
export function removedByTable(tables: readonly ErasedRows[]): Record<string, number> {
  return Object.fromEntries(tables.map(({ table, removed, blanked }) => [table, removed + blanked]))
}
