import type { ExportedRow } from "../../adapters/store/erasure.ts"
import type { Deps } from "../../deps.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressTerms } from "../../domain/compliance/data-subject.ts"
import { addressHashes } from "../../domain/suppression/address-hash.ts"

export interface ExportedData {
  /** Rows by table. */
  readonly tables: ReadonlyMap<string, readonly ExportedRow[]>
  /** What the edge shows to everybody who asks about the address; null when it holds nothing. */
  readonly edge: unknown
}

/** Everything stored about an address: of one account, or with `accountId` null of everybody. */
export async function exportData(
  needs: Pick<Deps, "erasure" | "digests" | "cache">,
  { address, accountId }: { address: ValidAddress; accountId: string | null },
): Promise<ExportedData> {
  const terms = await addressTerms(needs.digests, address)
  const tables = await needs.erasure.collect({ by: "address", terms, accountId })
  if (accountId !== null && !tables.has("results")) return { tables, edge: null }
  for (const hash of await addressHashes(needs.digests, address)) {
    const cached = await needs.cache.get(hash)
    if (cached) return { tables, edge: JSON.parse(cached.json) }
  }
  return { tables, edge: null }
}
