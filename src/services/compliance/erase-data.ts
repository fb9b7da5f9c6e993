import { PERSONAL_TABLES } from "../../../schema/tables/personal-data.ts"
import { type ErasedRows, type Marked, rowsIn } from "../../adapters/store/erasure.ts"
import type { Subject } from "../../adapters/store/personal-rows.ts"
import type { Deps } from "../../deps.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressTerms, domainTerms } from "../../domain/compliance/data-subject.ts"
import { type RefreshNeeds, refreshMarks } from "../suppression/refresh-marks.ts"
import { forgetResults } from "./forget-at-edge.ts"
import { MOST_ROWS } from "./purge.ts"

export type EraseNeeds = RefreshNeeds & Pick<Deps, "erasure" | "cache" | "digests">

export interface Erased {
  readonly tables: readonly ErasedRows[]
  /** False: there is more of it than one call can take away; call again. */
  readonly isComplete: boolean
}

/** Results, and marks, that one call takes out of the edge's cache: a platform's request may make only so many calls. */
const AT_ONCE = 200
/** What is left when the results are gone. */
const OTHERS = PERSONAL_TABLES.map(({ table }) => table).filter((table) => table !== "results")

/** Erases what is stored about an address: of one account, or with `accountId` null of everybody. */
export async function eraseAddress(
  needs: EraseNeeds,
  { address, accountId }: { address: ValidAddress; accountId: string | null },
): Promise<Erased> {
  const erased = await erase(needs, { by: "address", terms: await addressTerms(needs.digests, address), accountId })
  // The edge may hold a result that the store has lost.
  if (accountId === null) await forgetResults(needs, [address.normalized])
  return erased
}

/** Erases what is stored about the addresses of a domain. @param domain A-labels, lower case */
export function eraseDomain(
  needs: EraseNeeds,
  { domain, accountId }: { domain: string; accountId: string | null },
): Promise<Erased> {
  return erase(needs, { by: "domain", terms: domainTerms(domain), accountId })
}

async function erase(needs: EraseNeeds, subject: Subject): Promise<Erased> {
  const { erasure } = needs
  const results = await erasure.resultsOf(subject, AT_ONCE)
  // The edge first: whoever is cut off here finds by the store what is left. And after it, as it may have filled meanwhile.
  await forgetResults(needs, results)
  const removed = await erasure.eraseResults(results)
  await forgetResults(needs, results)
  const first = removed > 0 ? [{ table: "results", removed, blanked: 0 }] : []
  if (results.length === AT_ONCE) return { tables: first, isComplete: false }
  const marked = await erasure.markedBy(subject, AT_ONCE)
  const isAll = marked.length < AT_ONCE
  const rest = isAll
    ? await erasure.erase({ ...subject, tables: OTHERS }, MOST_ROWS)
    : await eraseMarked(needs, subject, marked)
  // Of an entry that came under the current pepper, the edge may hold a mark by the former one as well.
  const hashes = JSON.parse(subject.terms.hashes ?? "[]") as string[]
  for (const [list, entries] of Map.groupBy(marked, (entry) => entry.list))
    await refreshMarks(needs, list, [...hashes, ...entries.map(({ addressHash }) => addressHash)])
  return { tables: [...first, ...rest], isComplete: isAll && rowsIn(rest) < MOST_ROWS }
}

/** Erases what one call's marks stand for, on their own lists alone: others may have the same addresses. */
async function eraseMarked(
  { erasure }: EraseNeeds,
  { terms }: Subject,
  marked: readonly Marked[],
): Promise<ErasedRows[]> {
  const erased: ErasedRows[] = []
  for (const [accountId, entries] of Map.groupBy(marked, ({ list }) => list)) {
    const hashes = JSON.stringify(entries.map(({ addressHash }) => addressHash))
    const those = { ...terms, hashes, spellings: "[]" }
    const tables = ["suppressions", "address_feedback"]
    erased.push(...(await erasure.erase({ by: "address", terms: those, accountId, tables }, MOST_ROWS)))
  }
  return [...Map.groupBy(erased, ({ table }) => table)].map(([table, rows]) => ({
    table,
    removed: rows.reduce((sum, { removed }) => sum + removed, 0),
    blanked: rows.reduce((sum, { blanked }) => sum + blanked, 0),
  }))
}
