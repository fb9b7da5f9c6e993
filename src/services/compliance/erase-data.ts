import { PERSONAL_TABLES } from "../../../schema/tables/personal-data.ts"
import type { FlaggedAddress } from "../../adapters/store/compliance/erasure.ts"
import type { Subject } from "../../adapters/store/compliance/personal-rows.ts"
import type { Context } from "../../context.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressTerms, domainTerms, type ErasedRows, rowsIn } from "../../domain/compliance/data-subject.ts"
import { refreshFlags } from "../suppression/refresh-flags.ts"
import { forgetResults } from "./forget-at-edge.ts"
import { hideAddress, hideDomain, recordErasure } from "./hide-results.ts"
import { MAX_ROWS } from "./purge.ts"

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
  if (accountId === null) await recordErasure(ctx, { address })
  else await hideAddress(ctx, { accountId, address })
  const erased = await erase(ctx, { by: "address", terms: await addressTerms(ctx.digests, address), accountId })
  // The edge may cache a result that the database no longer has.
  if (accountId === null) await forgetResults(ctx, [address.normalized])
  return erased
}

/** Erases the stored data about the addresses of a domain. @param domain A-labels, lower case */
export async function eraseDomain(
  ctx: Context,
  { domain, accountId }: { domain: string; accountId: string | null },
): Promise<Erased> {
  if (accountId === null) await recordErasure(ctx, { domain })
  else await hideDomain(ctx, { accountId, domain })
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
  await forgetResults(ctx, results)
  const removed = await erasure.eraseResults(subject, results)
  await forgetResults(ctx, results)
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
